import type { ClusterId } from "./request.ts";

/** Remembers which registration serves each cluster, for all processes and across restarts. */
export interface Incumbents {
  all(): Promise<ReadonlyMap<ClusterId, string>>;
  /** Resolves to the registration that keeps the cluster: this one if no other did, or if `instead` did, which is gone. */
  keep(cluster: ClusterId, registration: string, instead: string | undefined): Promise<string>;
}
