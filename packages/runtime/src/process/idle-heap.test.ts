import process from "node:process";
import { expect, test } from "vitest";
import { collectWhenIdle, type Heap, nodeHeap } from "./idle-heap.ts";

const mib = 1024 * 1024;

interface Look {
  readonly cpuMs: number;
  readonly mib: number;
}

/** What an idle process holds after a collection. */
const keptMiB = 20;

/** A process of which each look takes the next line: CPU of the last five seconds, and its heap. The numbers of the looks that collect. */
async function collections(looks: readonly Look[]): Promise<readonly number[]> {
  const lifetime = new AbortController();
  const collected: number[] = [];
  let look = -1;
  let totalCpuMs = 0;
  let heldMiB = 0;
  const heap: Heap = {
    oldBytes: () => heldMiB * mib,
    usedBytes: () => heldMiB * mib,
    cpuMs: () => totalCpuMs,
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
      totalCpuMs += next.cpuMs;
      heldMiB = next.mib;
    },
  };
  await collectWhenIdle({ heap, clock, signal: lifetime.signal });
  return collected;
}

const looks = (count: number, look: Look) => Array.from({ length: count }, () => look);
const idle = (mib: number): Look => ({ cpuMs: 20, mib });

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
  const busy = { cpuMs: 600, mib: 80 };
  expect(await collections([busy, busy, busy, { cpuMs: 100, mib: 80 }])).toEqual([3]);
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
