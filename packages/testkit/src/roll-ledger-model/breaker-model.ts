import { type BreakerLimit, firstHoldMs, longestHoldMs } from "@fleet-reloader/domain/hold/breaker";

/** What a breaker remembers. Times in milliseconds of one clock. */
export interface BreakerState {
  /** The rolls it has let through within its window, oldest first. */
  readonly rollsMs: readonly number[];
  /** How often it has opened since it was last quiet. */
  readonly trips: number;
  readonly heldUntilMs: number;
  /** Of a source: the content that was acted on last. Its other dependents may have the same. */
  readonly lastVersion?: string;
}

/** One answer of a breaker, and what it remembers afterwards if that is acted on. */
export interface BreakerAnswer {
  readonly state: BreakerState;
  /** Until when a roll is held; undefined: it may go. */
  readonly heldUntilMs: number | undefined;
}

/** A breaker that has seen nothing. */
export const closedBreaker: BreakerState = { rollsMs: [], trips: 0, heldUntilMs: 0 };

/**
 * Lets `rollsMax` rolls through in a window. What asks for more is held until there is room again or for `longestHoldMs`, whichever
 * is sooner, and then let through one by one with such pauses, so that the newest content is rolled in the end. Closed again after a
 * window without rolls.
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
  // After a hold one roll shows whether it is over.
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

/** A roll that was let through and not made after all. */
export function forgetRoll(state: BreakerState): BreakerState {
  return { ...state, rollsMs: state.rollsMs.slice(0, -1) };
}
