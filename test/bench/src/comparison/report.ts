import type { Outcome } from "../benchmark.ts";
import { figure, type Table } from "../report/table.ts";
import { type Arm, type Comparison, medianOf, movements, type Ratio, ratioTo } from "./comparison.ts";

/** With the range of the rounds: where it is wide, the machine was noisy. */
function ratioText(ratio: Ratio | undefined): string {
  if (ratio === undefined) return "–";
  const { median, least, most } = ratio;
  const digits = (value: number) => value.toPrecision(2);
  return `${digits(median)}× (${digits(least)}–${digits(most)})`;
}

/** The figures of all arms, for the terminal and for the page. */
export function comparisonTable(comparison: Comparison): Table {
  const { peer, figures, scenario } = comparison;
  const others: readonly Arm[] = peer === undefined ? ["floor"] : ["peer", "floor"];
  const nameOf = (arm: Arm) => (arm === "peer" ? (peer ?? arm) : arm);
  return {
    title: scenario,
    columns: ["", "ours", ...others.map(nameOf), ...others.map((other) => `ours / ${nameOf(other)}`)],
    rows: figures.map(({ name, unit }) => [
      unit === "" ? name : `${name}, ${unit}`,
      ...(["ours", ...others] as const).map((arm) => figure(medianOf(comparison, arm, name) ?? Number.NaN)),
      ...others.map((other) => ratioText(ratioTo(comparison, other, name))),
    ]),
  };
}

/** Rolls of the peer that did not come, or came too often; ours would have no result with one. */
export function wrongRollsOf({ blocks }: Comparison): { readonly missed: number; readonly spurious: number } {
  const total = (name: "missed" | "spurious") => blocks.reduce((sum, block) => sum + block[name], 0);
  return { missed: total("missed"), spurious: total("spurious") };
}

export function report(comparison: Comparison, floor: string): Outcome {
  const { missed, spurious } = wrongRollsOf(comparison);
  const { peer, defaultDebounce } = comparison;
  return {
    tables: [comparisonTable(comparison)],
    marks: [],
    notes: [
      "medians of the blocks; in brackets the least and the highest ratio of a round: the noise",
      floor,
      ...(peer === undefined ? [] : [`${peer}: ${missed} rolls missed, ${spurious} too many`]),
      ...(defaultDebounce === undefined
        ? []
        : [`ours with its default debounce: p50 ${figure(defaultDebounce.p50Ms)} ms`]),
    ],
    measures: comparison,
  };
}

/** What is worth a look: a regression of this size is to be seen before it lands. */
const noticeable = 0.05;

export function movementTable(before: Comparison, now: Comparison): Table {
  const verdict = (change: number, isClear: boolean): string => {
    if (Math.abs(change) <= noticeable) return "same";
    const direction = change > 0 ? "worse" : "better";
    return isClear ? direction : `${direction}, or noise`;
  };
  return {
    title: "Ratios then and now; less is better",
    columns: ["", "then", "now", "change", ""],
    rows: movements(before, now).map(
      ({ figure: name, other, before: then, now: current, change, isClear }) => [
        `${name}, ours / ${other === "peer" ? now.peer : other}`,
        ratioText(then),
        ratioText(current),
        `${change > 0 ? "+" : ""}${(change * 100).toFixed(0)} %`,
        verdict(change, isClear),
      ],
    ),
  };
}
