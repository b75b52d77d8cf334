import type { BreakerLimit } from "@fleet-reloader/domain/hold/breaker";
import type { BudgetLimit } from "@fleet-reloader/domain/hold/budget";
import type { HoldReason } from "@fleet-reloader/domain/hold/reasons";
import type { OnHold, Request, Verdict } from "../ports/request.ts";

/** The limits of rolls. An absent limit does not limit. All workers of a fleet must have the same limits. */
export interface RollLimits {
  readonly workloadBreaker?: BreakerLimit;
  readonly sourceBreaker?: BreakerLimit;
  readonly fleet?: BudgetLimit;
  readonly cluster?: BudgetLimit;
  readonly namespace?: BudgetLimit;
}

/** A source that a roll acts on. */
export interface ActedOn {
  /** Names the source and its keys that are used. Workloads that use the same keys see the same content. */
  readonly id: string;
  /** A keyed digest that names the content. */
  readonly version: string;
}

/** A breaker is open, or a budget is spent. Without `untilMs` the end depends on other rolls. */
export interface LedgerHold extends OnHold<HoldReason> {
  /** The source, or the level of the budget: `fleet`, `cluster` or `namespace`. */
  readonly what: string;
  /** Of a breaker: the limit that was exceeded. */
  readonly limit?: BreakerLimit;
  /** Of a budget with too many unfinished rollouts: the first of them, oldest first, `blockersMax` at most. */
  readonly blockedBy?: readonly Request[];
}

/** The answer of breakers and budgets to a roll. */
export type LedgerVerdict = Verdict<unknown, LedgerHold>;

/** The most unfinished rollouts that are named to people in one line. */
export const blockersMax = 5;

/**
 * The recent rolls of all workers together, from which breakers and budgets are computed. Either all limits admit the roll and count it,
 * or none counts it. It may be lost at any time: then breakers start closed, and budgets start with nothing saved.
 */
export interface RollLedger {
  /** Asks for a roll, and counts it if it may go. */
  admit(request: Request, sources: readonly ActedOn[], signal: AbortSignal): Promise<LedgerVerdict>;
  /** What `admit` would answer now. Counts and writes nothing. */
  check(request: Request, sources: readonly ActedOn[], signal: AbortSignal): Promise<LedgerVerdict>;
  /** The roll was counted and then not made: refunds what it took. */
  withdraw(request: Request): Promise<void>;
  /** The rollout that began this long ago has ended. A roll that was counted after that is another one, and stays. */
  settled(request: Request, ageMs: number): Promise<void>;
}
