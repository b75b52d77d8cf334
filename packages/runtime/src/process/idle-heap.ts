import process from "node:process";
import { getHeapSpaceStatistics, type HeapSpaceInfo, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "@fleet-reloader/engine/async/clock";

/** The memory of one process that its garbage collector manages. */
export interface Heap {
  /** The memory of the old generation, including the free space in it, plus the growth of the young generation under load; bytes. */
  readonly heldBytes: () => number;
  /** The memory of all objects, including dead ones; bytes. */
  readonly usedBytes: () => number;
  /** Time since the start of the process in which it had work, including waits for a core; ms. */
  readonly busyMs: () => number;
  /** Collects everything at once and returns free memory to the system. It blocks the process. */
  readonly collect: () => void;
}

export interface IdleHeapOptions {
  readonly heap: Heap;
  readonly clock: Pick<Clock, "sleep" | "monotonic">;
  readonly signal: AbortSignal;
}

const idleForMs = 5000;
/** An idle process also produces garbage; it is stopped for a collection at most once in this time. */
const apartMs = 60_000;
/** A process that is busy for a smaller share of the time only renews its locks. */
const idleShare = 0.1;
/** A collection has to free at least this much; bytes. */
const growthMin = 6 * 1024 * 1024;
/** The two halves of the young generation without load (`infra/bundle/node-args`), and large new objects; bytes. */
const youngUsual = 10 * 1024 * 1024;
/** A collection stops the process for some 2 ms per MiB of objects; above this size none is made. Bytes. */
const usedMax = 96 * 1024 * 1024;

/**
 * Returns memory to the system whenever the process has become idle. V8 itself does so only when almost nothing runs; a process with some watches
 * and locks is never idle enough (ADR 0006). Resolves when the signal is aborted.
 */
export async function collectWhenIdle({ heap, clock, signal }: IdleHeapOptions): Promise<void> {
  let collectedBytes = 0;
  let collectedAtMs = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    const before = { busyMs: heap.busyMs(), atMs: clock.monotonic() };
    await clock.sleep(idleForMs, signal).catch(() => undefined);
    const isIdle = heap.busyMs() - before.busyMs < idleShare * (clock.monotonic() - before.atMs);
    if (signal.aborted || !isIdle || heap.usedBytes() > usedMax) continue;
    collectedBytes = Math.min(collectedBytes, heap.heldBytes());
    if (heap.heldBytes() < collectedBytes + growthMin) continue;
    if (clock.monotonic() < collectedAtMs + apartMs) continue;
    heap.collect();
    collectedBytes = heap.heldBytes();
    collectedAtMs = clock.monotonic();
  }
}

/** The heap of this process. */
export const nodeHeap: Heap = {
  heldBytes: () => {
    const sizes = Map.groupBy(getHeapSpaceStatistics(), isYoung);
    const sumOf = (spaces: readonly HeapSpaceInfo[] = []) =>
      spaces.reduce((sum, { space_size: bytes }) => sum + bytes, 0);
    return sumOf(sizes.get(false)) + Math.max(0, sumOf(sizes.get(true)) - youngUsual);
  },
  usedBytes: () => process.memoryUsage().heapUsed,
  // CPU time is unsuitable: on a busy machine a process with much work gets little of it, and stopping it then would cost its locks.
  busyMs: () => performance.eventLoopUtilization().active,
  collect: () => {
    // Only this form of the call returns the memory: `flavor` of V8's `gc` extension.
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")({ type: "major", execution: "sync", flavor: "last-resort" });
  },
};

/** New objects lie in a space of their own, and a collection copies the live ones from one half to the other. */
function isYoung({ space_name: name }: HeapSpaceInfo): boolean {
  return name.startsWith("new_");
}
