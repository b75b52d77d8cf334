import type { Freeze } from "@fleet-reloader/domain/hold/freeze";

/** What people have declared frozen, as it is now; or why that cannot be read, with the place and the mend. */
export type FrozenNow =
  | { readonly type: "known"; readonly freezes: readonly Freeze[] }
  | { readonly type: "unreadable"; readonly why: string };

/** Where freezes are declared. Every answer is read after the question was asked, and never from Redis (I7). */
export interface Freezes {
  now(): Promise<FrozenNow>;
}
