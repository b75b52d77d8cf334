export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** As text: the first column to the left, figures to the right. */
export function formatTable({ title, columns, rows }: Table): string {
  const lines = [columns, ...rows];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => (line[at] ?? "").length)));
  const format = (line: readonly string[]) =>
    widths
      .map((width, at) => (at === 0 ? (line[at] ?? "").padEnd(width) : (line[at] ?? "").padStart(width)))
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [title, format(columns), rule, ...rows.map(format)].join("\n");
}

/** Three significant digits, and no more behind the point than a reader can use. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** Ours by the peer model's: below 1 is less. */
export function ratio(ours: number, peerModel: number): string {
  const value = ours / peerModel;
  return Number.isFinite(value) ? `${value.toPrecision(2)}×` : "–";
}
