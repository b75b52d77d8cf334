import type { Freeze } from "@fleet-reloader/domain/hold/freeze";

/** The present freezes, or why they cannot be read, with the place and the mend. */
export type FrozenNow =
  | { readonly type: "known"; readonly freezes: readonly Freeze[] }
  | { readonly type: "unreadable"; readonly why: string };

/** The place where freezes are declared. Every answer is read after the question, and never from Redis (I7). */
export interface Freezes {
  now(): Promise<FrozenNow>;
}
