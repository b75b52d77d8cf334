import type { Place } from "./place.ts";

/** A reader needs no newer answer than this. */
const everyMs = 10_000;
/** An answer that only a cluster can give costs it requests, which rolls need too. */
const everyOfClusterMs = 60_000;
const longestMs = 120_000;

/** How often a page that gets news asks for facts without news, such as counts of workloads. */
const everyWithNewsMs = 60_000;
/** The first wait before a new stream of news, and the longest. */
const streamAgainMs = 2000;
const streamAgainMaxMs = 60_000;
/** Minimum wait after news. It is also at least three times as long as the last answer took, so that a large fleet gets fewer questions. */
const leastGapMs = 1000;
const gapOfAnswers = 3;

/** The state of a page's questions. */
export interface AskingState {
  /** Consecutive questions without an answer. */
  readonly failures: number;
  /** Whether the page receives news. */
  readonly isLive: boolean;
}

/** The wait before the next question about a place. `chance` is from 0 to 1, so that tabs which fail together do not ask together again. */
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
 * The wait between the last answer and the next question after news. `tookMs` is how long that answer took. It may be hours if a laptop slept
 * meanwhile, so the wait is never longer than without news.
 */
export function waitAfterNews(tookMs: number, failures: number): number {
  const ms = Math.max(leastGapMs * 2 ** Math.min(failures, 6), gapOfAnswers * tookMs);
  return Math.min(everyWithNewsMs, ms);
}

/** The wait before a new stream of news, after this many streams in a row have ended. */
export function waitForStream(failures: number, chance: number): number {
  return Math.min(streamAgainMaxMs, streamAgainMs * 2 ** Math.min(failures - 1, 10)) * (0.5 + chance / 2);
}
