/**
 * What we do with an object of a kind.
 *
 * - `served`: rolled when a source of it changes.
 * - `suspended`: no pod of it runs, and pods that start later read what is there then.
 * - `finished`: it has run, and does not run again.
 * - `owned`: another object controls it, whether that one is served or not. It is left to that object and gets no applied state.
 * - `stash`: a workload of ours in transit, see `job.ts`.
 */
export type Eligibility = "served" | "suspended" | "finished" | "owned" | "stash";

/** Settings that include workloads which we otherwise leave alone, unlike the peer. */
export interface EligibilityRules {
  readonly reloadSuspended: boolean;
  readonly reloadFinished: boolean;
}

/** Whether a change rolls the object. If not, the change is recorded all the same, so that a resumed object does not run for old changes. */
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
