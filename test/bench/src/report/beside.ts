import { percentile, type Spread, spreadOf } from "../stats/percentile.ts";
import { figure, type Table } from "./table.ts";

/** Latencies of those that are well, with a bad neighbour or without. */
export interface Block {
  readonly isBeside: boolean;
  readonly latenciesMs: readonly number[];
}

interface Beside {
  readonly title: string;
  readonly who: string;
  /** How it is called with the bad neighbour, and without. */
  readonly alone: string;
  readonly beside: string;
}

/** All blocks of a kind together. */
export function spreadsOf(blocks: readonly Block[]): { readonly alone: Spread; readonly beside: Spread } {
  const of = (isBeside: boolean) =>
    spreadOf(blocks.filter((block) => block.isBeside === isBeside).flatMap(({ latenciesMs }) => latenciesMs));
  return { alone: of(false), beside: of(true) };
}

export function besideTable({ title, who, alone, beside }: Beside, blocks: readonly Block[]): Table {
  const spreads = spreadsOf(blocks);
  const row = (name: string, { count, p50, p95, p99, max }: Spread) => [
    name,
    String(count),
    ...[p50, p95, p99, max].map(figure),
  ];
  return {
    title,
    columns: [who, "changes", "p50", "p95", "p99", "max"],
    rows: [row(alone, spreads.alone), row(beside, spreads.beside)],
  };
}

/** So that drift of the machine is seen: blocks alternate. */
export function blocksNote(
  names: { readonly alone: string; readonly beside: string },
  blocks: readonly Block[],
): string {
  const each = blocks.map(
    ({ isBeside, latenciesMs }) =>
      `${isBeside ? names.beside : names.alone} ${figure(percentile(latenciesMs, 0.99))}`,
  );
  return `p99 of the blocks in their order: ${each.join(", ")}`;
}
