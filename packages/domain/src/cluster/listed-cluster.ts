import type { RegisteredCluster } from "../hold/freeze-coverage.ts";
import type { ClusterStatus } from "./cluster-status.ts";

/** A registered cluster with the last status that the listing process saw. */
export interface ListedCluster extends RegisteredCluster {
  /** Undefined: an older version listed it. */
  readonly status?: ClusterStatus | undefined;
}

/** The same with the id of its registration, which all processes with this registration share. */
export interface ListedRegistration extends ListedCluster {
  readonly registration: string;
}
