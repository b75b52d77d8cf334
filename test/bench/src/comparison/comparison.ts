import { median } from "../stats/percentile.ts";

/** Ours, another reloader, and a bare client that does the least that a roll takes. */
export type Arm = "ours" | "peer" | "floor";

export interface Block {
  readonly arm: Arm;
  /** A round has one block of each arm: they ran one after the other, so that they met the same machine. */
  readonly round: number;
  readonly figures: Readonly<Record<string, number>>;
  /** Rolls that did not come, and rolls too many. A block of ours with one is no result. */
  readonly missed: number;
  readonly spurious: number;
}

/** What a comparison measured: plain data, kept as JSON. Less is better in all figures. */
export interface Comparison {
  /** What a block did, in one line. */
  readonly scenario: string;
  /** Undefined: only ours and the floor ran. */
  readonly peer: string | undefined;
  readonly figures: readonly { readonly name: string; readonly unit: string }[];
  readonly blocks: readonly Block[];
  /** Ours as shipped, with its quiet period: the rest is measured without it. */
  readonly defaultDebounce: { readonly changes: number; readonly p50Ms: number } | undefined;
}

/** Of the rounds: one alone says little on a machine that others use too. */
export interface Ratio {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The median of an arm's blocks; undefined when the arm has no such figure. */
export function medianOf({ blocks }: Comparison, arm: Arm, figure: string): number | undefined {
  const values = blocks.flatMap((block) => (block.arm === arm ? (block.figures[figure] ?? []) : []));
  return values.length === 0 ? undefined : median(values);
}

/** Ours by another arm's, round by round. */
export function ratioTo({ blocks }: Comparison, other: Arm, figure: string): Ratio | undefined {
  const find = (arm: Arm, round: number) =>
    blocks.find((block) => block.arm === arm && block.round === round)?.figures[figure];
  const ratios = [...new Set(blocks.map(({ round }) => round))].flatMap((round) => {
    const [ours, others] = [find("ours", round), find(other, round)];
    return ours === undefined || others === undefined ? [] : [ours / others];
  });
  if (ratios.length === 0) return undefined;
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}

export interface Movement {
  readonly figure: string;
  readonly other: Arm;
  readonly before: Ratio;
  readonly now: Ratio;
  /** 0.05: five percent worse. */
  readonly change: number;
  /** No round of one run lies within the range of the other: unlikely to be noise. */
  readonly isClear: boolean;
}

/** By how much our ratios moved since an earlier run of the same scenario; figures that only one of them has are left out. */
export function movements(before: Comparison, now: Comparison): readonly Movement[] {
  if (before.scenario !== now.scenario) return [];
  const others: readonly Arm[] = before.peer === now.peer ? ["floor", "peer"] : ["floor"];
  return now.figures.flatMap(({ name: figure }) =>
    others.flatMap((other) => {
      const [then, current] = [ratioTo(before, other, figure), ratioTo(now, other, figure)];
      if (then === undefined || current === undefined) return [];
      const isClear = current.least > then.most || current.most < then.least;
      return [
        { figure, other, before: then, now: current, change: current.median / then.median - 1, isClear },
      ];
    }),
  );
}
