import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ReadSpacing, SingleFlight } from "./single-flight.ts";

/** Reads that begin and end when the test says so; each answers its own number. */
function controlledReads(spacing?: ReadSpacing) {
  const reads = new SingleFlight<number>(spacing);
  const open: { readonly number: number; readonly end: (error?: Error) => void }[] = [];
  let begun = 0;
  const load = () => {
    begun += 1;
    const number = begun;
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    open.push({ number, end: (error) => (error === undefined ? resolve(number) : reject(error)) });
    return promise;
  };
  return {
    ask: (key = "a", untilMs = spacing && Number.POSITIVE_INFINITY) => reads.read(key, load, untilMs),
    begun: () => begun,
    /** Ends the oldest read that is under way. */
    async end(error?: Error) {
      open.shift()?.end(error);
      await new Promise((resolve) => setImmediate(resolve));
    },
    isOpen: () => open.length > 0,
  };
}

describe("a read that is shared", () => {
  test("begins at once when none is under way", async () => {
    const reads = controlledReads();
    const asked = reads.ask();
    await reads.end();
    expect(await asked).toBe(1);
  });

  // The caller may have heard of a change after the read under way began.
  test("is never the one that began before the question", async () => {
    const reads = controlledReads();
    const first = reads.ask();
    const second = reads.ask();
    await reads.end();
    await reads.end();
    expect(await Promise.all([first, second])).toEqual([1, 2]);
  });

  test("is one for a thousand who ask while another is under way", async () => {
    const reads = controlledReads();
    const first = reads.ask();
    const others = Array.from({ length: 1000 }, () => reads.ask());
    await reads.end();
    await reads.end();
    expect(await first).toBe(1);
    expect(new Set(await Promise.all(others))).toEqual(new Set([2]));
    expect(reads.begun()).toBe(2);
  });

  test("of one thing does not wait for another", async () => {
    const reads = controlledReads();
    const [a, b] = [reads.ask("a"), reads.ask("b")];
    expect(reads.begun()).toBe(2);
    await reads.end();
    await reads.end();
    expect(await Promise.all([a, b])).toEqual([1, 2]);
  });

  test("fails for those who shared it, and for nobody after them", async () => {
    const reads = controlledReads();
    const first = reads.ask();
    const shared = [reads.ask(), reads.ask()];
    await Promise.all([reads.end(new Error("first")), expect(first).rejects.toThrow("first")]);
    const later = reads.ask();
    await Promise.all([
      reads.end(new Error("second")),
      ...shared.map((one) => expect(one).rejects.toThrow("second")),
    ]);
    await reads.end();
    expect(await later).toBe(3);
  });

  test("that throws before it begins stands in nobody's way", async () => {
    const reads = new SingleFlight<number>();
    const broken = () => {
      throw new Error("broken");
    };
    await expect(async () => reads.read("a", broken)).rejects.toThrow("broken");
    expect(await reads.read("a", async () => 7)).toBe(7);
  });

  test("is forgotten once nobody waits for it: every question reads anew", async () => {
    const reads = new SingleFlight<number>();
    let count = 0;
    const load = async () => {
      count += 1;
      return count;
    };
    expect([await reads.read("a", load), await reads.read("a", load)]).toEqual([1, 2]);
  });
});

test("each question gets the very next read that began after it, in any order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom("ask", "end", "fail"), { maxLength: 40 }), async (steps) => {
      const reads = controlledReads();
      const asked: Promise<void>[] = [];
      const ask = () => {
        const before = reads.begun();
        const check = (number: number) => expect(number).toBe(before + 1);
        asked.push(
          reads.ask().then(check, (error: unknown) => expect(error).toMatchObject({ message: "e" })),
        );
      };
      for (const step of steps) {
        if (step === "ask") ask();
        else await reads.end(step === "fail" ? new Error("e") : undefined);
      }
      while (reads.isOpen()) await reads.end();
      await Promise.all(asked);
    }),
  );
});

/** A clock whose time and sleepers move when the test says so. */
function steppedTime() {
  let nowMs = 0;
  const sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];
  return {
    clock: {
      monotonic: () => nowMs,
      sleep: (ms: number, signal: AbortSignal) =>
        new Promise<void>((wake, fail) => {
          sleepers.push({ atMs: nowMs + ms, wake });
          signal.addEventListener("abort", () => fail(signal.reason));
        }),
    },
    async pass(ms: number) {
      nowMs += ms;
      for (const { wake } of sleepers.filter(({ atMs }) => atMs <= nowMs)) wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe("reads that are spaced", () => {
  const mostMs = 200;

  /** After a first read for one caller, and a second read for this many. */
  async function afterReads(tookMs: number, askers: number) {
    const time = steppedTime();
    const reads = controlledReads({ clock: time.clock, times: 3, mostMs, enough: 6 });
    const asked = Array.from({ length: 1 + askers }, () => reads.ask());
    await reads.end();
    await time.pass(tookMs);
    await reads.end();
    expect(await Promise.all(asked)).toEqual([1, ...Array.from({ length: askers }, () => 2)]);
    return { time, reads };
  }

  test("begin further apart the longer the last one took, and the more it served", async () => {
    const { time, reads } = await afterReads(5, 4);
    const asked = [reads.ask()];
    await time.pass(3 * 5 * 4 - 5 - 1);
    asked.push(reads.ask());
    expect(reads.begun()).toBe(2);
    await time.pass(1);
    expect(reads.begun()).toBe(3);
    await reads.end();
    expect(await Promise.all(asked)).toEqual([3, 3]);
  });

  test("begin when enough wait for them", async () => {
    const { time, reads } = await afterReads(5, 4);
    const asked = Array.from({ length: 5 }, () => reads.ask());
    await time.pass(1);
    expect(reads.begun()).toBe(2);
    asked.push(reads.ask());
    await time.pass(0);
    expect(reads.begun()).toBe(3);
    await reads.end();
    expect(new Set(await Promise.all(asked))).toEqual(new Set([3]));
  });

  // A read that has begun may have been answered before the change that the caller asks about.
  test("serve nobody who asks after one of them began", async () => {
    const { time, reads } = await afterReads(5, 4);
    const before = reads.ask();
    await time.pass(mostMs);
    const after = reads.ask();
    await reads.end();
    expect(await before).toBe(3);
    await time.pass(mostMs);
    await reads.end();
    expect(await after).toBe(4);
  });

  test("begin at once when the last one is long ago", async () => {
    const { time, reads } = await afterReads(5, 4);
    await time.pass(3 * 5 * 4 - 5);
    void reads.ask();
    expect(reads.begun()).toBe(3);
  });

  test("keep nobody waiting for longer than the most, however slow they are", async () => {
    const { time, reads } = await afterReads(150, 4);
    void reads.ask();
    await time.pass(mostMs - 150);
    expect(reads.begun()).toBe(3);
  });

  test("begin when the first of those who wait will wait no longer", async () => {
    const { time, reads } = await afterReads(5, 4);
    const asked = [reads.ask("a", 30), reads.ask("a", 20), reads.ask("a", 40)];
    await time.pass(20 - 5 - 1);
    expect(reads.begun()).toBe(2);
    await time.pass(1);
    expect(reads.begun()).toBe(3);
    await reads.end();
    expect(await Promise.all(asked)).toEqual([3, 3, 3]);
  });

  test("begin at once for one who waits for nobody, and serve those who wait", async () => {
    const { time, reads } = await afterReads(5, 4);
    const waits = reads.ask();
    await time.pass(1);
    const waitsNot = reads.ask("a", 0);
    await time.pass(0);
    expect(reads.begun()).toBe(3);
    await reads.end();
    expect(await Promise.all([waits, waitsNot])).toEqual([3, 3]);
  });

  test("of one thing do not wait for another", async () => {
    const { reads } = await afterReads(5, 4);
    void reads.ask("b");
    expect(reads.begun()).toBe(3);
  });

  test("are each begun after every question that they answer, in any order", async () => {
    const step = fc.constantFrom("ask", "end", "fail", "pass");
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const time = steppedTime();
        const reads = controlledReads({ clock: time.clock, times: 3, mostMs, enough: 3 });
        const asked: Promise<void>[] = [];
        const ask = () => {
          const before = reads.begun();
          const check = (number: number) => expect(number).toBe(before + 1);
          asked.push(
            reads.ask().then(check, (error: unknown) => expect(error).toMatchObject({ message: "e" })),
          );
        };
        for (const one of steps) {
          if (one === "ask") ask();
          else if (one === "pass") await time.pass(7);
          else await reads.end(one === "fail" ? new Error("e") : undefined);
        }
        for (let left = 0; left < 3; left += 1) {
          await time.pass(mostMs);
          await reads.end();
        }
        await Promise.all(asked);
      }),
    );
  });
});
