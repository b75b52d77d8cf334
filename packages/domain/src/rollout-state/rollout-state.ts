import type { FailedReason, HealthyReason, StalledReason } from "./reasons.ts";

/** The state of a rollout, read from the status of the workload. */
export type RolloutState =
  /** It goes on. `trouble`: what keeps it, if that does not pass. `atSeconds`: when it last made progress, where the status says so. */
  | { readonly type: "progressing"; readonly trouble?: Trouble; readonly atSeconds?: number }
  /** Its pods have what was written. `atSeconds`: since when, where the status says so. */
  | { readonly type: "healthy"; readonly reason: HealthyReason; readonly atSeconds?: number }
  | { readonly type: "failed"; readonly reason: FailedReason; readonly message: string }
  /** Nothing is wrong, and nothing goes on either. */
  | { readonly type: "stalled"; readonly reason: StalledReason; readonly message: string };

/** What keeps a rollout from going on now. It may pass: only when it stays does the rollout end for it. */
export interface Trouble {
  readonly reason: FailedReason | StalledReason;
  /** In the words of the controller: names and numbers. */
  readonly message: string;
}

/** A rollout that goes on, as far as can be seen. */
export const progressing = { type: "progressing" } as const satisfies RolloutState;

/** Nothing is to be seen of a rollout at this kind, or it is over with the write. */
export function over(reason: HealthyReason): RolloutState {
  return { type: "healthy", reason };
}
