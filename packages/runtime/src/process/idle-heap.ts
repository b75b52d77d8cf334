import process from "node:process";
import { getHeapSpaceStatistics, type HeapSpaceInfo, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "@fleet-reloader/engine/async/clock";

/** The memory of one process that its garbage collector manages. */
export interface Heap {
  /**
   * The memory of objects that have lived a while, including the free space between them, and by how much the young generation has
   * grown under load; bytes.
   */
  readonly heldBytes: () => number;
  /** What objects take, the dead ones included; bytes. */
  readonly usedBytes: () => number;
  /** Time since the start of the process in which it had something to do, also while it waited for a core; ms. */
  readonly busyMs: () => number;
  /** Collects everything at once and returns what is free to the system. Nothing else runs meanwhile. */
  readonly collect: () => void;
}

export interface IdleHeapOptions {
  readonly heap: Heap;
  readonly clock: Pick<Clock, "sleep" | "monotonic">;
  readonly signal: AbortSignal;
}

const idleForMs = 5000;
/** A process that is merely alive makes garbage, too: it is stopped for that at most once in this time. */
const apartMs = 60_000;
/** A process that is busy for less of the time than this has nothing to do but to renew its locks. */
const idleShare = 0.1;
/** A collection has to free at least this much; bytes. */
const growthMin = 6 * 1024 * 1024;
/** The two halves of the young generation as it is without load (`infra/bundle/node-args`), and large new objects; bytes. */
const youngUsual = 10 * 1024 * 1024;
/** A collection stops the process for some 2 ms per MiB of objects; above this nobody is stopped for it. Bytes. */
const usedMax = 96 * 1024 * 1024;

/**
 * Returns memory to the system whenever the process has become idle. V8 does so by itself only where next to nothing runs; a process that
 * keeps some watches and locks is never idle enough for it (ADR 0006). Resolves when the signal is aborted.
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
  // CPU time would not do: on a busy machine a process with much to do gets little of it, and stopping it then costs it its locks.
  busyMs: () => performance.eventLoopUtilization().active,
  collect: () => {
    // Only this way of asking returns the memory: `flavor` of V8's `gc` extension.
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")({ type: "major", execution: "sync", flavor: "last-resort" });
  },
};

/** New objects lie in a part of their own, which is copied from one half to the other. */
function isYoung({ space_name: name }: HeapSpaceInfo): boolean {
  return name.startsWith("new_");
}
