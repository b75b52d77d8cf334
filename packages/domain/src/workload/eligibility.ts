/**
 * How an object of a kind stands towards us.
 *
 * - `served`: rolled when a source of it changes.
 * - `suspended`: nothing of it runs, and what runs later reads what is there then.
 * - `finished`: it has run, and runs no more.
 * - `owned`: another object recreates it, and that one is served. It gets no applied state.
 * - `stash`: a workload of ours in transit, see `job.ts`.
 */
export type Eligibility = "served" | "suspended" | "finished" | "owned" | "stash";

/** What people set for workloads that are left alone otherwise, as the peer does not. */
export interface EligibilityRules {
  readonly reloadSuspended: boolean;
  readonly reloadFinished: boolean;
}

/** Whether a change is acted on. Where it is not, it is noted all the same: what is resumed later does not run for old changes. */
export function isActedOn(eligibility: Eligibility, rules: EligibilityRules): boolean {
  switch (eligibility) {
    case "served":
      return true;
    case "suspended":
      return rules.reloadSuspended;
    case "finished":
      return rules.reloadFinished;
    case "owned":
    case "stash":
      return false;
  }
}
