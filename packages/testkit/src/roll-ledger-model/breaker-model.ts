import { type BreakerLimit, firstHoldMs, longestHoldMs } from "@fleet-reloader/domain/hold/breaker";

/** What a breaker remembers. Times in milliseconds of one clock. */
export interface BreakerState {
  /** The rolls it has admitted within its window, oldest first. */
  readonly rollsMs: readonly number[];
  /** How often it has opened since it was last quiet. */
  readonly trips: number;
  readonly heldUntilMs: number;
  /** Of a source: the content that caused the last roll. Other dependents of the source may roll to the same content. */
  readonly lastVersion?: string;
}

/** The answer of a breaker, and its state if the answer is acted on. */
export interface BreakerAnswer {
  readonly state: BreakerState;
  /** Until when the roll is held; undefined: it is admitted. */
  readonly heldUntilMs: number | undefined;
}

/** The initial state. */
export const closedBreaker: BreakerState = { rollsMs: [], trips: 0, heldUntilMs: 0 };

/**
 * Admits `rollsMax` rolls in a window. Further rolls are held until there is room, for at most `longestHoldMs`, and then admitted
 * one by one with such pauses, so that the newest content is rolled in the end. The breaker closes after a window without rolls.
 */
export function askBreaker(
  before: BreakerState,
  limit: BreakerLimit,
  nowMs: number,
  version?: string,
): BreakerAnswer {
  if (version !== undefined && version === before.lastVersion)
    return { state: before, heldUntilMs: undefined };
  const lastMs = Math.max(before.heldUntilMs, before.rollsMs.at(-1) ?? 0);
  const isQuiet = nowMs - lastMs >= limit.withinMs;
  const { trips, heldUntilMs } = isQuiet ? closedBreaker : before;
  if (nowMs < heldUntilMs) return { state: before, heldUntilMs };
  const rollsMs = before.rollsMs.filter((at) => at > nowMs - limit.withinMs);
  const isFull = rollsMs.length >= limit.rollsMax;
  // After a hold, one roll probes whether the loop is over.
  const isProbed = rollsMs.some((at) => at >= heldUntilMs);
  if (trips > 0 ? !isProbed : !isFull) {
    const seen = version ?? before.lastVersion;
    const state = { rollsMs: [...rollsMs, nowMs], trips, heldUntilMs };
    return { state: seen === undefined ? state : { ...state, lastVersion: seen }, heldUntilMs: undefined };
  }
  const pauseMs = Math.min(firstHoldMs * 2 ** trips, longestHoldMs);
  const roomMs = isFull ? (rollsMs[rollsMs.length - limit.rollsMax] ?? 0) + limit.withinMs : 0;
  const until = Math.min(Math.max(nowMs + pauseMs, roomMs), nowMs + longestHoldMs);
  return { state: { ...before, rollsMs, trips: trips + 1, heldUntilMs: until }, heldUntilMs: until };
}

/** A roll was admitted and not made. */
export function forgetRoll(state: BreakerState): BreakerState {
  return { ...state, rollsMs: state.rollsMs.slice(0, -1) };
}
