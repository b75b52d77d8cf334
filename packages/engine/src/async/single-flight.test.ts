import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SingleFlight } from "./single-flight.ts";

/** Reads that begin and end when the test says so; each answers its own number. */
function controlledReads() {
  const reads = new SingleFlight<number>();
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
    ask: (key = "a") => reads.read(key, load),
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

  // Whoever asks may have heard of a change after the read under way began.
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
