import { printable, printableJsonLines, printableLines } from "@fleet-reloader/runtime/log/printable";
import { outputFlag } from "./cli-fields.ts";
import type { CommandProcess } from "./command.ts";

/** `-o`: a table for people, or JSON for scripts. */
export const answerFlag = outputFlag(["table", "json"], {
  standard: "table",
  description: "table: for people; json: for scripts.",
});

/** What a command answers, for people and for scripts. */
export interface CommandAnswer {
  /** Lines for people; not asked for when JSON is printed. */
  readonly text: () => string;
  /** The same and more, as JSON. */
  readonly json: object;
}

/** Prints an answer in the format that was asked for. Names that tenants choose forge no line. */
export function printAnswer(
  { text, json }: CommandAnswer,
  output: "table" | "json",
  { stdout }: CommandProcess,
): void {
  const safe =
    output === "json"
      ? printableJsonLines(JSON.stringify(json, undefined, 2))
      : printableLines(text().trimEnd());
  stdout.write(`${safe}\n`);
}

/** Columns under their headings, padded with spaces. The last one is not padded. */
export function textTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows].map((row) => row.map((cell) => printable(cell)));
  const widths = headings.map((_, at) => all.reduce((most, row) => Math.max(most, row[at]?.length ?? 0), 0));
  return all
    .map((row) =>
      row
        .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd((widths[at] ?? 0) + 2)))
        .join("")
        .trimEnd(),
    )
    .join("\n");
}

/** A length of time for people: `45s`, `12m`, `3h`, `2d`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)}h` : `${Math.round(seconds / 86_400)}d`;
}

/** `1 cluster`, `2 clusters`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** What follows a count when a limit left some out: `, 1 is shown`. Empty when all are shown. */
export function shownOf(count: number, shown: number): string {
  return count > shown ? `, ${shown} ${shown === 1 ? "is" : "are"} shown` : "";
}
