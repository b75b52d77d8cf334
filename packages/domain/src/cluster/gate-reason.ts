/**
 * Why the gate of a cluster holds a request. `ClusterUnknown`: the cluster is not engaged here. `ClusterUnreachable`: it does not answer its
 * probes. `ClusterFailing`: it rejected the last probe, failed several requests in a row, or looks hung. `ClusterBusy`: its share of the
 * worker's slots is taken, or as many requests are under way as it has shown to answer.
 */
export type GateReason = "ClusterUnknown" | "ClusterUnreachable" | "ClusterFailing" | "ClusterBusy";
