/**
 * Why a request is parked: it goes back into the queue, and nothing of it is done. `ClusterUnknown`: the cluster is not engaged
 * here. `ClusterUnreachable`: it does not answer its probes. `ClusterFailing`: it failed requests one after the other.
 * `ClusterBusy`: its share of the worker's slots is taken.
 */
export type ParkReason = "ClusterUnknown" | "ClusterUnreachable" | "ClusterFailing" | "ClusterBusy";
