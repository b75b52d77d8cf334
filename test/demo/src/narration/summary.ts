import { rollsText, totalOf } from "../judge.ts";
import type { Outcome } from "../play.ts";
import { milliseconds, type Paint } from "./paint.ts";

const widths = { scenario: 8, title: 52, number: 10 } as const;

/** The closing table: a row per step, what was expected of it and what the clusters' write logs say. */
export function summaryLines(
  outcomes: readonly Outcome[],
  unrelatedWrites: number,
  paint: Paint,
): readonly string[] {
  const head = row({ scenario: "", title: "", expected: "expected", seen: "seen", slowest: "slowest" });
  const steps = outcomes.map(({ step, rolls, slowestMs, problems }) => {
    const cells = row({
      scenario: step.scenario,
      title: step.title,
      expected: String(totalOf(step.rolls)),
      seen: String(rolls.length),
      slowest: slowestMs === undefined ? "" : milliseconds(slowestMs),
    });
    return `${cells}  ${problems.length === 0 ? paint("good", "PASS") : paint("bad", "FAIL")}`;
  });
  const failed = outcomes.filter(({ problems }) => problems.length > 0);
  return [
    "",
    paint("quiet", head),
    ...steps,
    "",
    ...failed.flatMap(({ step, problems }) =>
      problems.map((problem) => paint("bad", `${step.scenario}: ${problem}`)),
    ),
    closing(outcomes, unrelatedWrites, failed.length, paint),
  ];
}

function closing(
  outcomes: readonly Outcome[],
  unrelatedWrites: number,
  failures: number,
  paint: Paint,
): string {
  const rolls = outcomes.reduce((sum, outcome) => sum + outcome.rolls.length, 0);
  const counted = `${rollsText(rolls)} in all; ${unrelatedWrites} writes to a ConfigMap that nobody uses caused none.`;
  return failures === 0
    ? `${paint("good", "PASS")}  Every step went as told: ${counted}`
    : `${paint("bad", "FAIL")}  ${failures} of ${outcomes.length} steps did not go as told.`;
}

interface Cells {
  readonly scenario: string;
  readonly title: string;
  readonly expected: string;
  readonly seen: string;
  readonly slowest: string;
}

function row({ scenario, title, expected, seen, slowest }: Cells): string {
  const numbers = [expected, seen, slowest].map((text) => text.padStart(widths.number)).join("");
  return `${scenario.padEnd(widths.scenario)}${title.padEnd(widths.title)}${numbers}`;
}
