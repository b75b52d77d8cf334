import type { BreakerLimit } from "@fleet-reloader/domain/hold/breaker";
import type { BudgetLimit } from "@fleet-reloader/domain/hold/budget";
import type { HoldReason } from "@fleet-reloader/domain/hold/reasons";
import type { OnHold, Request, Verdict } from "../ports/request.ts";

/** How much may be rolled. An absent limit does not limit. All workers of a fleet must have the same limits. */
export interface RollLimits {
  readonly workloadBreaker?: BreakerLimit;
  readonly sourceBreaker?: BreakerLimit;
  readonly fleet?: BudgetLimit;
  readonly cluster?: BudgetLimit;
  readonly namespace?: BudgetLimit;
}

/** A source as a roll acts on it. */
export interface ActedOn {
  /** Names the source and the keys that are used of it. Workloads that use the same keys see the same content. */
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

/** What breakers and budgets answer to a roll. */
export type LedgerVerdict = Verdict<unknown, LedgerHold>;

/** The most unfinished rollouts that are named to people in one line. */
export const blockersMax = 5;

/**
 * The recent rolls of all workers together: breakers and budgets are computed from it. Either all limits admit the roll and count it,
 * or none counts it. It may be lost at any time: breakers then start closed, and budgets with nothing saved up.
 */
export interface RollLedger {
  /** A roll that may go is counted by this question. */
  admit(request: Request, sources: readonly ActedOn[], signal: AbortSignal): Promise<LedgerVerdict>;
  /** What `admit` would answer now. Counts, keeps and writes nothing. */
  check(request: Request, sources: readonly ActedOn[], signal: AbortSignal): Promise<LedgerVerdict>;
  /** The roll was counted and then not made: what it took is given back. */
  withdraw(request: Request): Promise<void>;
  /** The rollout that began so long ago has ended. A roll that was counted since is another one, and stays. */
  settled(request: Request, ageMs: number): Promise<void>;
}
