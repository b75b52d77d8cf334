import type { FailedReason, HealthyReason, StalledReason } from "./reasons.ts";

/** The state of a rollout, read from the status of the workload. */
export type RolloutState =
  /**
   * It goes on. `trouble`: what stops it unless it passes. `atSeconds`: when it last made progress, or when its controller ends a pause, if the
   * status says so. `isOpenEnded`: its controller waits for something of unknown length, and decides itself when that takes too long.
   * `isUnobserved`: its controller has not begun.
   */
  | {
      readonly type: "progressing";
      readonly trouble?: Trouble;
      readonly atSeconds?: number;
      readonly isOpenEnded?: true;
      readonly isUnobserved?: true;
    }
  /** Its pods have the new content. `atSeconds`: since when, if the status says so. */
  | { readonly type: "healthy"; readonly reason: HealthyReason; readonly atSeconds?: number }
  | { readonly type: "failed"; readonly reason: FailedReason; readonly message: string }
  /** Nothing is wrong, but nothing goes on. */
  | { readonly type: "stalled"; readonly reason: StalledReason; readonly message: string };

/** What stops a rollout now. It may pass. Only if it stays, it ends the rollout. */
export interface Trouble {
  readonly reason: FailedReason | StalledReason;
  /** The controller's own words: names and numbers. */
  readonly message: string;
}

/** A rollout that goes on, as far as can be seen. */
export const progressing = { type: "progressing" } as const satisfies RolloutState;

/** A rollout whose controller has not observed the new template yet: no pod has it. */
export const unobserved = { type: "progressing", isUnobserved: true } as const satisfies RolloutState;

/** A rollout that is over: this kind shows none, or it ended with the write. */
export function over(reason: HealthyReason): RolloutState {
  return { type: "healthy", reason };
}

/** Whether its controller has observed the new template. */
export function hasBegun(state: RolloutState): boolean {
  return state.type !== "progressing" || state.isUnobserved !== true;
}
