import type { RegisteredCluster } from "../hold/freeze-coverage.ts";
import type { ClusterStatus } from "./cluster-status.ts";

/** A registered cluster with its status as the process that listed it last sees it. */
export interface ListedCluster extends RegisteredCluster {
  /** Undefined: listed by an older version. */
  readonly status?: ClusterStatus | undefined;
}
