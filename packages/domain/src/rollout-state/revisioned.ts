import { jsonField } from "../json.ts";
import { isDeployedOnChange } from "./replicated.ts";
import { over, progressing, type RolloutState, unobserved } from "./rollout-state.ts";
import { numberOf, readStatus } from "./status.ts";

/** What keeps old pods after a roll: a part of the update strategy, or no trigger for a changed template. */
export const podKeepers = ["OnDelete", "Partition", "NoConfigChange"] as const;

export type PodKeeper = (typeof podKeepers)[number];

/** Undefined: the controller replaces every pod by itself. */
export function podKeeperOf(kind: string, object: unknown): PodKeeper | undefined {
  if (kind === "DeploymentConfig") return isDeployedOnChange(object) ? undefined : "NoConfigChange";
  const strategy = jsonField(object, "spec", "updateStrategy");
  if (isManual(strategy)) return "OnDelete";
  return partitionOf(strategy) > 0 ? "Partition" : undefined;
}

/** Whether pods get the new template only when somebody deletes them. */
export function isManual(strategy: unknown): boolean {
  return jsonField(strategy, "type") === "OnDelete";
}

/** How many pods keep the old template. */
export function partitionOf(strategy: unknown): number {
  return numberOf(jsonField(strategy, "rollingUpdate", "partition")) ?? 0;
}

/** A StatefulSet: its pods are updated one after another, only some of them, or by hand. */
export function statefulSetState(object: unknown): RolloutState {
  const { spec, status, isObserved, replicas, count } = readStatus(object);
  if (!isObserved) return unobserved;
  if (replicas === 0) return over("NoPods");
  const strategy = jsonField(spec, "updateStrategy");
  if (isManual(strategy)) return over("WaitsForManualDelete");
  if (count("readyReplicas") < replicas) return progressing;
  const partition = partitionOf(strategy);
  if (partition > 0)
    return count("updatedReplicas") >= Math.max(0, replicas - partition) ? over("Partitioned") : progressing;
  // The current revision follows the update revision only when the last pod is ready; some versions forget it after a scale-down.
  const isLast = jsonField(status, "currentRevision") === jsonField(status, "updateRevision");
  return isLast || count("updatedReplicas") >= replicas ? over("Available") : progressing;
}

/** A DaemonSet: one pod for each eligible node. */
export function daemonSetState(object: unknown): RolloutState {
  const { spec, isObserved, count } = readStatus(object);
  if (!isObserved) return unobserved;
  const wanted = count("desiredNumberScheduled");
  if (wanted === 0) return over("NoPods");
  if (isManual(jsonField(spec, "updateStrategy"))) return over("WaitsForManualDelete");
  const isDone = count("updatedNumberScheduled") >= wanted && count("numberAvailable") >= wanted;
  return isDone ? over("Available") : progressing;
}
