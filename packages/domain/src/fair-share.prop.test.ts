import fc from "fast-check";
import { expect, test } from "vitest";
import { type Backlog, defaultShare, forgive, takeRanks } from "./fair-share.ts";

const { size, perSecond } = defaultShare;
const burst = fc.integer({ min: 1, max: 3000 });
const time = fc.integer({ min: 0, max: 10_000_000 });

/** Ranks of several bursts of one flow. `afterMs` is the time since the burst before. */
function ranksOf(bursts: readonly { readonly count: number; readonly afterMs: number }[]) {
  let backlog: Backlog | undefined;
  let now = 0;
  return bursts.map(({ count, afterMs }) => {
    now += afterMs;
    const taken = takeRanks(backlog, { count, now });
    backlog = taken.backlog;
    return taken.ranks;
  });
}

test("what a quiet flow asks for first has rank 0, however long it was quiet", () => {
  fc.assert(
    fc.property(burst, time, (count, now) => {
      const { ranks } = takeRanks(undefined, { count, now });
      expect(ranks.slice(0, size).every((rank) => rank === 0)).toBe(true);
      expect(ranks).toHaveLength(count);
    }),
  );
});

test("a storm sinks: never upwards within it, and no more than a share in each rank", () => {
  fc.assert(
    fc.property(burst, (count) => {
      const { ranks } = takeRanks(undefined, { count, now: 0 });
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      for (const rank of new Set(ranks))
        expect(ranks.filter((each) => each === rank).length).toBeLessThanOrEqual(size);
    }),
  );
});

test("one burst or many small ones at the same time: the ranks are the same", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 }), (counts) => {
      const total = counts.reduce((sum, count) => sum + count, 0);
      const inPieces = ranksOf(counts.map((count) => ({ count, afterMs: 0 }))).flat();
      expect(inPieces).toEqual(takeRanks(undefined, { count: total, now: 0 }).ranks);
    }),
  );
});

test("of two storms, n requests and a share at most precede the other's n-th", () => {
  fc.assert(
    fc.property(burst, burst, (stormy, other) => {
      const storm = takeRanks(undefined, { count: stormy, now: 0 }).ranks;
      takeRanks(undefined, { count: other, now: 0 }).ranks.forEach((rank, n) => {
        const before = storm.filter((each) => each <= rank).length;
        expect(before).toBeLessThanOrEqual(n + size);
      });
    }),
  );
});

test("a flow within its rate never loses rank, and one that was is forgiven in time", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: size }), fc.integer({ min: 1, max: 200 }), (count, times) => {
      const afterMs = Math.ceil((count / perSecond) * 1000);
      const ranks = ranksOf(Array.from({ length: times }, () => ({ count, afterMs })));
      expect(ranks.flat().every((rank) => rank === 0)).toBe(true);
    }),
  );
  fc.assert(
    fc.property(burst, time, (count, at) => {
      const { backlog } = takeRanks(undefined, { count, now: at });
      expect(forgive(backlog, at + Math.ceil((count / perSecond) * 1000)).requests).toBeCloseTo(0);
    }),
  );
});

test("a clock that goes back forgives nothing, and nothing twice later", () => {
  fc.assert(
    fc.property(burst, time, time, (count, at, back) => {
      const { backlog } = takeRanks(undefined, { count, now: at });
      const earlier = forgive(backlog, at - back);
      expect(earlier).toEqual(backlog);
      expect(forgive(earlier, at)).toEqual(backlog);
    }),
  );
});
