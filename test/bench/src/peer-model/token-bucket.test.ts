import { describe, expect, it } from "vitest";
import { createTokenBucket, fanOutWaitSeconds } from "./token-bucket.ts";

const rate = { perSecond: 5, burst: 10 };

describe("createTokenBucket", () => {
  it("lets a burst through and then one each 200 ms", () => {
    const take = createTokenBucket(rate, 0);
    const waits = Array.from({ length: 13 }, () => take(0));
    expect(waits.slice(0, 10)).toEqual(Array(10).fill(0));
    expect(waits.slice(10)).toEqual([200, 400, 600]);
  });

  it("takes n requests the time the specification derives for the peer's fan-out", () => {
    const take = createTokenBucket(rate, 0);
    let now = 0;
    for (let request = 0; request < 3 + 60; request += 1) now += take(now);
    expect(now / 1000).toBeCloseTo(fanOutWaitSeconds(60, rate, 3), 6);
    expect(fanOutWaitSeconds(1000, rate, 3)).toBeCloseTo(198.6, 6);
    expect(fanOutWaitSeconds(7, rate, 3)).toBe(0);
  });

  it("fills up again while idle, to the burst and not beyond", () => {
    const take = createTokenBucket(rate, 0);
    for (let request = 0; request < 10; request += 1) take(0);
    expect(take(400)).toBe(0);
    const later = Array.from({ length: 11 }, () => take(1_000_000));
    expect(later.filter((wait) => wait === 0)).toHaveLength(10);
  });
});
