import { describe, expect, it } from "vitest";
import { percentile, spreadOf } from "./percentile.ts";

describe("percentile", () => {
  const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);

  it("is a value that occurred, by nearest rank", () => {
    expect(percentile(hundred, 0.5)).toBe(50);
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile(hundred, 1)).toBe(100);
    expect(percentile([1, 2, 3, 4, 5], 0.5)).toBe(3);
  });

  it("sorts by size, not as text", () => {
    expect(percentile([9, 10, 100], 0.5)).toBe(10);
  });

  it("is the value itself when there is one, and no number when there is none", () => {
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it("makes a spread", () => {
    expect(spreadOf(hundred)).toEqual({ count: 100, p50: 50, p95: 95, p99: 99, max: 100 });
  });
});
