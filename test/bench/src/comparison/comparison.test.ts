import { describe, expect, it } from "vitest";
import { type Block, type Comparison, medianOf, movements, ratioTo } from "./comparison.ts";

const block = (arm: Block["arm"], round: number, figures: Block["figures"]): Block => ({
  ...{ arm, round, figures },
  missed: 0,
  spurious: 0,
});
const comparison = (...blocks: readonly Block[]): Comparison => ({
  scenario: "a change",
  peer: "another",
  figures: [
    { name: "p50", unit: "ms" },
    { name: "memory", unit: "MiB" },
  ],
  blocks,
  defaultDebounce: undefined,
});
const before = comparison(
  block("ours", 1, { p50: 10, memory: 100 }),
  block("floor", 1, { p50: 5 }),
  block("floor", 2, { p50: 10 }),
  block("ours", 2, { p50: 22, memory: 110 }),
  block("peer", 2, { p50: 11, memory: 50 }),
);

describe("ratioTo", () => {
  it("divides within a round, so that a slow machine cancels out", () => {
    expect(ratioTo(before, "floor", "p50")).toEqual({ median: 2, least: 2, most: 2.2 });
  });

  it("leaves out rounds in which one of the two has no figure", () => {
    expect(ratioTo(before, "peer", "memory")).toEqual({ median: 2.2, least: 2.2, most: 2.2 });
    expect(ratioTo(before, "floor", "memory")).toBeUndefined();
    expect(medianOf(before, "floor", "memory")).toBeUndefined();
    expect(medianOf(before, "floor", "p50")).toBe(5);
  });
});

describe("movements", () => {
  const now = (p50: number) =>
    comparison(block("ours", 1, { p50, memory: 100 }), block("floor", 1, { p50: 5 }));

  it("is clear only when no round of one run lies within the range of the other", () => {
    expect(movements(before, now(10.5))).toMatchObject([{ figure: "p50", other: "floor", isClear: false }]);
    expect(movements(before, now(11.5))[0]).toMatchObject({ isClear: true });
    expect(movements(before, now(11.5))[0]?.change).toBeCloseTo(0.15);
    expect(movements(before, now(9))[0]).toMatchObject({ isClear: true });
  });

  it("compares no runs of different sizes", () => {
    expect(movements(before, { ...before, scenario: "ten changes" })).toEqual([]);
  });

  it("compares with a peer only where both runs had the same one", () => {
    const others = (peer: string) => movements(before, { ...before, peer }).map(({ other }) => other);
    expect(others("another")).toContain("peer");
    expect(others("a third")).toEqual(["floor"]);
  });
});
