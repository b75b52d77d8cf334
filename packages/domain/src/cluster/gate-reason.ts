/**
 * Why the gate of a cluster puts a request on hold. `ClusterUnknown`: the cluster is not engaged here. `ClusterUnreachable`: it does not
 * answer its probes. `ClusterFailing`: it did not accept the last probe, failed several requests in a row, or looks hung. `ClusterBusy`:
 * its share of the worker's slots is taken, or it has as many requests under way as it has shown to answer.
 */
export type GateReason = "ClusterUnknown" | "ClusterUnreachable" | "ClusterFailing" | "ClusterBusy";
