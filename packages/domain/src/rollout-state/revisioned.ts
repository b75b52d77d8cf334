import { jsonField } from "../json.ts";
import { over, progressing, type RolloutState } from "./rollout-state.ts";
import { numberOf, readStatus } from "./status.ts";

/** A StatefulSet: pods are updated one after another, some of them only, or by hand. */
export function statefulSetState(object: unknown): RolloutState {
  const { spec, status, isObserved, replicas, count } = readStatus(object);
  if (!isObserved) return progressing;
  if (replicas === 0) return over("NoPods");
  const strategy = jsonField(spec, "updateStrategy");
  if (jsonField(strategy, "type") === "OnDelete") return over("WaitsForManualDelete");
  if (count("readyReplicas") < replicas) return progressing;
  const partition = numberOf(jsonField(strategy, "rollingUpdate", "partition")) ?? 0;
  if (partition > 0)
    return count("updatedReplicas") >= Math.max(0, replicas - partition) ? over("Partitioned") : progressing;
  // The current revision follows the update revision only when the last pod is ready; some versions forget it after a scale-down.
  const isLast = jsonField(status, "currentRevision") === jsonField(status, "updateRevision");
  return isLast || count("updatedReplicas") >= replicas ? over("Available") : progressing;
}

/** A DaemonSet: one pod for each node that may have one. */
export function daemonSetState(object: unknown): RolloutState {
  const { spec, isObserved, count } = readStatus(object);
  if (!isObserved) return progressing;
  const wanted = count("desiredNumberScheduled");
  if (wanted === 0) return over("NoPods");
  if (jsonField(spec, "updateStrategy", "type") === "OnDelete") return over("WaitsForManualDelete");
  const isDone = count("updatedNumberScheduled") >= wanted && count("numberAvailable") >= wanted;
  return isDone ? over("Available") : progressing;
}
