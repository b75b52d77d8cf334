import { describe, expect, it } from "vitest";
import { describeFit, fitPower } from "./power-fit.ts";

const sizes = [1000, 5000, 10_000, 20_000, 50_000];
const along = (cost: (n: number) => number) => sizes.map((n) => ({ n, cost: cost(n) }));

describe("fitPower", () => {
  it("finds base, factor and slope of costs that follow the law", () => {
    const fit = fitPower(along((n) => 80 + 0.002 * n));
    expect(fit?.s).toBeCloseTo(1, 2);
    expect(fit?.a).toBeCloseTo(80, 0);
    expect(fit?.b).toBeCloseTo(0.002, 3);
    expect(fit?.rSquared).toBeCloseTo(1, 5);
    expect(fitPower(along((n) => 5 + 1e-6 * n ** 1.5))?.s).toBeCloseTo(1.5, 2);
  });

  it("calls costs that do not grow flat", () => {
    const fit = fitPower(sizes.map((n, i) => ({ n, cost: 100 + (i % 2) })));
    expect(fit?.isFlat).toBe(true);
    expect(describeFit(fit, "ms")).toContain("flat");
    expect(fitPower(along((n) => 80 + 0.002 * n))?.isFlat).toBe(false);
  });

  it("never answers a negative base or factor", () => {
    const fit = fitPower(along((n) => n ** 2 / 1e6 - 1));
    expect(fit?.a).toBeGreaterThanOrEqual(0);
    expect(fitPower(along((n) => 100 - n / 1000))?.b).toBe(0);
  });

  it("does not guess from three points", () => {
    expect(fitPower(along((n) => n).slice(0, 3))).toBeUndefined();
  });
});
