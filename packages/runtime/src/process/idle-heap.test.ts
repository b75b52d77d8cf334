import process from "node:process";
import { expect, test } from "vitest";
import { collectWhenIdle, type Heap, nodeHeap } from "./idle-heap.ts";

const mib = 1024 * 1024;

/** A process of which each look takes the next line: CPU of the last five seconds, and its heap. */
async function collections(
  looks: readonly { readonly cpuMs: number; readonly mib: number }[],
): Promise<string> {
  const lifetime = new AbortController();
  let look = -1;
  let totalCpuMs = 0;
  let collected = "";
  let totalMiB = 0;
  const heap: Heap = {
    totalBytes: () => totalMiB * mib,
    usedBytes: () => totalMiB * mib,
    cpuMs: () => totalCpuMs,
    collect: () => {
      collected += `${look} `;
      totalMiB = 20;
    },
  };
  const clock = {
    monotonic: () => look * 5000,
    sleep: async () => {
      look += 1;
      const next = looks[look];
      if (next === undefined) return lifetime.abort();
      totalCpuMs += next.cpuMs;
      totalMiB = next.mib;
    },
  };
  await collectWhenIdle({ heap, clock, signal: lifetime.signal });
  return collected.trim();
}

test("an idle process collects once, and again only after its heap has grown", async () => {
  const idle = { cpuMs: 20, mib: 20 };
  expect(await collections([{ cpuMs: 20, mib: 40 }, idle, idle, { cpuMs: 20, mib: 30 }, idle])).toBe("0 3");
});

test("a busy process is not stopped", async () => {
  const busy = { cpuMs: 600, mib: 80 };
  expect(await collections([busy, busy, busy, { cpuMs: 100, mib: 80 }])).toBe("3");
});

test("a heap that takes long to collect is left to V8", async () => {
  expect(await collections([{ cpuMs: 10, mib: 200 }])).toBe("");
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
