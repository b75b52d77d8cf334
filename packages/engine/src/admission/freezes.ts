import type { Freeze } from "@fleet-reloader/domain/hold/freeze";

/** What people have declared frozen, as it is now; or why nobody can tell, naming where it stands and the mend. */
export type FrozenNow =
  | { readonly type: "known"; readonly freezes: readonly Freeze[] }
  | { readonly type: "unreadable"; readonly why: string };

/** Where freezes are declared. Every answer is from a look that began after the question, and never from Redis (I7). */
export interface Freezes {
  now(): Promise<FrozenNow>;
}
