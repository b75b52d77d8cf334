import type { Place } from "./place.ts";

/** An answer of this age is good enough for somebody who reads. */
const everyMs = 10_000;
/** What only a cluster answers costs it requests, which rolls need too. */
const everyOfClusterMs = 60_000;
const longestMs = 120_000;

/**
 * How long to wait before the next question about a place, after so many failures in a row. `chance` is from 0 to 1: tabs that fail
 * together do not ask together again.
 */
export function waitBefore({ view }: Pick<Place, "view">, failures: number, chance: number): number {
  const firstMs = view === "workload" || view === "source" ? everyOfClusterMs : everyMs;
  const ms = Math.min(longestMs, firstMs * 2 ** Math.min(failures, 10));
  return failures === 0 ? ms : ms * (0.5 + chance / 2);
}
