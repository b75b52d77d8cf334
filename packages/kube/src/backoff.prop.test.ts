import fc from "fast-check";
import { expect, test } from "vitest";
import { Backoff } from "./backoff.ts";

const chance = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1 });

test("no wait is longer than the limit, which doubles from the first up to the largest", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 5000, max: 60_000 }),
      chance,
      (firstMs, maxMs, chances) => {
        let at = 0;
        const backoff = new Backoff({ firstMs, maxMs, random: () => chances[at] ?? 0 });
        for (at = 0; at < chances.length; at += 1) {
          const limit = Math.min(firstMs * 2 ** at, maxMs);
          const wait = backoff.next();
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThanOrEqual(limit);
          expect(wait).toBeCloseTo(limit * (chances[at] ?? 0), 6);
        }
      },
    ),
  );
});

test("after a success it begins anew", () => {
  const backoff = new Backoff({ firstMs: 10, maxMs: 100, random: () => 1 });
  expect([1, 2, 3, 4, 5, 6].map(() => backoff.next())).toEqual([10, 20, 40, 80, 100, 100]);
  backoff.reset();
  expect(backoff.next()).toBe(10);
});
