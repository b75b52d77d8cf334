import { podRevisionOf } from "../evidence/pod-revision.ts";
import { jsonField, jsonList, jsonText } from "../json.ts";
import type { FailedReason } from "./reasons.ts";
import type { Trouble } from "./rollout-state.ts";

/** Reasons of the kubelet, and ours for them. A first failure to start is not among them, because the kubelet retries it at once. */
const waitingReasons: ReadonlyMap<string, FailedReason> = new Map([
  ["CrashLoopBackOff", "CrashLoopBackOff"],
  ["CreateContainerConfigError", "CreateContainerConfigError"],
  ["CreateContainerError", "CreateContainerConfigError"],
  ["ImagePullBackOff", "ImagePullBackOff"],
  ["ErrImagePull", "ImagePullBackOff"],
  ["InvalidImageName", "ImagePullBackOff"],
]);

/**
 * What keeps the newest pods of a workload from running; undefined when nothing is seen. Pods of older templates say nothing about this rollout,
 * and neither do pods that were created after `createdByMs`, wall time: their trouble may pass.
 */
export function podTrouble(
  pods: readonly unknown[],
  createdByMs = Number.POSITIVE_INFINITY,
): Trouble | undefined {
  const isOld = (pod: unknown) => !(Date.parse(createdAt(pod)) > createdByMs);
  const troubles = newestPods(pods).filter(isOld).flatMap(troublesOf);
  // A pod that waits for a node may still get one. The trouble of a container stays.
  return troubles.find(({ reason }) => reason !== "Unschedulable") ?? troubles[0];
}

/** When the last of the newest pods became ready, in seconds; undefined when none is. A pod that is recreated again and again is no progress. */
export function lastReadySeconds(pods: readonly unknown[]): number | undefined {
  const times = newestPods(pods).flatMap((pod) => {
    const ready = conditionOfPod(pod, "Ready");
    const at = Date.parse(jsonText(ready, "lastTransitionTime") ?? "");
    return jsonField(ready, "status") === "True" && !Number.isNaN(at) ? [at / 1000] : [];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The pods with the template of the most recent pod, except pods that are being deleted. */
function newestPods(pods: readonly unknown[]): readonly unknown[] {
  const [first, ...others] = pods.filter(
    (pod) => jsonField(metadataOf(pod), "deletionTimestamp") === undefined,
  );
  if (first === undefined) return [];
  const newest = others.reduce((best, pod) => (createdAt(pod) > createdAt(best) ? pod : best), first);
  const revision = podRevisionOf(newest);
  return [first, ...others].filter((pod) => podRevisionOf(pod) === revision);
}

function troublesOf(pod: unknown): readonly Trouble[] {
  const status = jsonField(pod, "status");
  const name = jsonText(metadataOf(pod), "name") ?? "";
  const containers = ["initContainerStatuses", "containerStatuses"].flatMap((list) => jsonList(status, list));
  const waiting = containers.flatMap((container) => {
    const state = jsonField(container, "state", "waiting");
    const reason = waitingReasons.get(jsonText(state, "reason") ?? "");
    if (reason === undefined) return [];
    const said = jsonText(state, "message") ?? jsonText(state, "reason") ?? "";
    return [{ reason, message: `container ${String(jsonField(container, "name"))} of pod ${name}: ${said}` }];
  });
  const scheduled = conditionOfPod(pod, "PodScheduled");
  const isWithout =
    jsonField(scheduled, "status") === "False" && jsonField(scheduled, "reason") === "Unschedulable";
  const message = `pod ${name}: ${jsonText(scheduled, "message") ?? ""}`;
  return [...waiting, ...(isWithout ? [{ reason: "Unschedulable", message } as const] : [])];
}

function conditionOfPod(pod: unknown, type: string): unknown {
  return jsonList(pod, "status", "conditions").find((one) => jsonField(one, "type") === type);
}

function metadataOf(pod: unknown): unknown {
  return jsonField(pod, "metadata");
}

/** RFC 3339 in UTC: later is greater. */
function createdAt(pod: unknown): string {
  return jsonText(metadataOf(pod), "creationTimestamp") ?? "";
}
