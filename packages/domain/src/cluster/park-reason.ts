/**
 * Why a request is parked: it goes back into the queue, and nothing of it is done. `ClusterUnknown`: the cluster is not engaged
 * here. `ClusterUnreachable`: it does not answer its probes. `ClusterFailing`: it failed requests one after the other,
 * or looks hung. `ClusterBusy`: its share of the worker's slots is taken, or as much is under way as it has shown to answer.
 */
export type ParkReason = "ClusterUnknown" | "ClusterUnreachable" | "ClusterFailing" | "ClusterBusy";
