import type { ClusterId } from "./request.ts";

/** Which registration each cluster is served by, remembered for all processes and over their ends. */
export interface Incumbents {
  all(): Promise<ReadonlyMap<ClusterId, string>>;
  /** Who keeps the cluster: this registration when nobody does, or when `instead`, which is gone, did. */
  keep(cluster: ClusterId, registration: string, instead: string | undefined): Promise<string>;
}
