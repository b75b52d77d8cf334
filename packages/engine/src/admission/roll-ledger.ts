import type { BreakerLimit } from "@fleet-reloader/domain/hold/breaker";
import type { BudgetLimit } from "@fleet-reloader/domain/hold/budget";
import type { HoldReason } from "@fleet-reloader/domain/hold/reasons";
import type { Request } from "../ports/request.ts";

/** How much may be rolled. What is absent is not limited. All workers of a fleet must agree on it. */
export interface RollLimits {
  readonly workloadBreaker?: BreakerLimit;
  readonly sourceBreaker?: BreakerLimit;
  readonly fleet?: BudgetLimit;
  readonly cluster?: BudgetLimit;
  readonly namespace?: BudgetLimit;
}

/** A source as a roll acts on it. */
export interface ActedOn {
  /** Names the source, and the keys of it that matter: those who look through the same keys see the same contents. */
  readonly id: string;
  /** Names the content; keyed, never the content itself. */
  readonly version: string;
}

/** What the ledger says to a roll. */
export type Entry =
  | { readonly type: "entered" }
  | {
      readonly type: "held";
      readonly reason: HoldReason;
      /** The source, or the level of the budget: `fleet`, `cluster` or `namespace`. */
      readonly what: string;
      readonly afterMs: number;
      /** Wall time at which it ends; absent: that depends on others. */
      readonly untilMs?: number;
      /** Of a breaker: the limit that was exceeded. */
      readonly limit?: BreakerLimit;
      /** Of a budget with too many unfinished rollouts: the first of them, oldest first, `blockersMax` at most. */
      readonly blockedBy?: readonly Request[];
    };

/** As many unfinished rollouts as a person reads in a line. */
export const blockersMax = 5;

/**
 * What was rolled lately, by all workers together: breakers and budgets are kept by it. All limits say yes and count the roll, or
 * none counts it. It may be lost at any time: breakers begin anew, and budgets with nothing saved up.
 */
export interface RollLedger {
  enter(request: Request, sources: readonly ActedOn[], signal: AbortSignal): Promise<Entry>;
  /** It was entered and not made after all. */
  withdraw(request: Request): Promise<void>;
  /** Its rollout, which began so long ago, has ended. A roll that was entered since is another, and stays. */
  settled(request: Request, ageMs: number): Promise<void>;
}
