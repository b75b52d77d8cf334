import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { collectWhenIdle, type Heap, nodeHeap } from "./idle-heap.ts";

const mib = 1024 * 1024;

interface Look {
  readonly busyMs: number;
  readonly mib: number;
}

/** The memory of an idle process after a collection. */
const keptMiB = 20;

/**
 * A process in which each look takes the next line: its busy time in the last five seconds, and its heap. Returns the numbers of the looks that
 * collect.
 */
async function collections(looks: readonly Look[]): Promise<readonly number[]> {
  const lifetime = new AbortController();
  const collected: number[] = [];
  let look = -1;
  let totalBusyMs = 0;
  let heldMiB = 0;
  const heap: Heap = {
    heldBytes: () => heldMiB * mib,
    usedBytes: () => heldMiB * mib,
    busyMs: () => totalBusyMs,
    collect: () => {
      collected.push(look);
      heldMiB = keptMiB;
    },
  };
  const clock = {
    monotonic: () => look * 5000,
    sleep: async () => {
      look += 1;
      const next = looks[look];
      if (next === undefined) return lifetime.abort();
      totalBusyMs += next.busyMs;
      heldMiB = next.mib;
    },
  };
  await collectWhenIdle({ heap, clock, signal: lifetime.signal });
  return collected;
}

const looks = (count: number, look: Look) => Array.from({ length: count }, () => look);
const idle = (mib: number): Look => ({ busyMs: 20, mib });

test("an idle process collects once, and again only after its heap has grown", async () => {
  const grown = [idle(40), ...looks(20, idle(20)), idle(30), ...looks(20, idle(20))];
  expect(await collections(grown)).toEqual([0, 21]);
});

test("a heap that grows back at once is collected at most once a minute", async () => {
  expect(await collections(looks(30, idle(40)))).toEqual([0, 12, 24]);
});

test("a heap that V8 itself has shrunk is collected when it has grown again", async () => {
  const shrunk = [idle(80), ...looks(12, idle(10)), idle(17)];
  expect(await collections(shrunk)).toEqual([0, 13]);
});

test("a busy process is not stopped", async () => {
  const busy = { busyMs: 600, mib: 80 };
  expect(await collections([busy, busy, busy, { busyMs: 100, mib: 80 }])).toEqual([3]);
});

test("a heap that takes long to collect is left to V8", async () => {
  expect(await collections([idle(200)])).toEqual([]);
});

test("a collection of this process returns what nobody uses", () => {
  let garbage: unknown[] | undefined = Array.from({ length: 200_000 }, (_, i) => ({ i, text: `${i}` }));
  nodeHeap.collect();
  const full = process.memoryUsage().heapTotal;
  expect(garbage).toHaveLength(200_000);
  garbage = undefined;
  nodeHeap.collect();
  expect(process.memoryUsage().heapTotal).toBeLessThan(full - 8 * mib);
});

test("a process is busy while its event loop works, and not while it waits", async () => {
  const busyIn = async (work: () => Promise<void> | void) => {
    const fromMs = nodeHeap.busyMs();
    await work();
    await wait(0);
    return nodeHeap.busyMs() - fromMs;
  };
  // On a busy machine it may wait for a core when it wakes up, which counts.
  await until("a rest of 100 ms is one", async () => (await busyIn(() => wait(100))) < 50);
  const spin = () => {
    const untilMs = performance.now() + 100;
    while (performance.now() < untilMs);
  };
  expect(await busyIn(spin)).toBeGreaterThan(90);
});
