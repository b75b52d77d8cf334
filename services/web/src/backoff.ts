import type { Place } from "./place.ts";

/** An answer of this age is good enough for somebody who reads. */
const everyMs = 10_000;
/** What only a cluster answers costs it requests, which rolls need too. */
const everyOfClusterMs = 60_000;
const longestMs = 120_000;

/** How often a page that gets news asks for facts without news, such as counts of workloads. */
const everyWithNewsMs = 60_000;
/** The first wait for another stream of news, and the longest. */
const streamAgainMs = 2000;
const streamAgainMaxMs = 60_000;
/** After news it is asked no sooner than this, nor sooner than three times as long as the last answer took: a large fleet is asked less. */
const leastGapMs = 1000;
const gapOfAnswers = 3;

/** How a page asks. */
export interface AskingState {
  /** Questions without an answer, in a row. */
  readonly failures: number;
  /** Whether it is told of news. */
  readonly isLive: boolean;
}

/**
 * How long to wait before the next question about a place. `chance` is from 0 to 1: tabs that fail together do not ask together again.
 */
export function waitBefore(
  { view }: Pick<Place, "view">,
  { failures, isLive }: AskingState,
  chance: number,
): number {
  const ofCluster = view === "workload" || view === "source";
  const firstMs = ofCluster ? everyOfClusterMs : isLive && failures === 0 ? everyWithNewsMs : everyMs;
  const ms = Math.min(longestMs, firstMs * 2 ** Math.min(failures, 10));
  return failures === 0 ? ms : ms * (0.5 + chance / 2);
}

/**
 * How long after the last answer, which took so long, news lead to the next question. An answer that was under way while a laptop slept took
 * hours: news never lead to a later question than there is without any.
 */
export function waitAfterNews(tookMs: number, failures: number): number {
  const ms = Math.max(leastGapMs * 2 ** Math.min(failures, 6), gapOfAnswers * tookMs);
  return Math.min(everyWithNewsMs, ms);
}

/** How long to wait before another stream of news, after so many that ended in a row. */
export function waitForStream(failures: number, chance: number): number {
  return Math.min(streamAgainMaxMs, streamAgainMs * 2 ** Math.min(failures - 1, 10)) * (0.5 + chance / 2);
}
