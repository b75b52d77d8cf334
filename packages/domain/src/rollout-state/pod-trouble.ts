import { podRevisionOf } from "../evidence/pod-revision.ts";
import { jsonField, jsonList, jsonText } from "../json.ts";
import type { FailedReason } from "./reasons.ts";
import type { Trouble } from "./rollout-state.ts";

/** Words of the kubelet, and ours for them. A first failure to pull or start is not among them: it is tried again at once. */
const waitingReasons: ReadonlyMap<string, FailedReason> = new Map([
  ["CrashLoopBackOff", "CrashLoopBackOff"],
  ["CreateContainerConfigError", "CreateContainerConfigError"],
  ["CreateContainerError", "CreateContainerConfigError"],
  ["ImagePullBackOff", "ImagePullBackOff"],
  ["ErrImagePull", "ImagePullBackOff"],
  ["InvalidImageName", "ImagePullBackOff"],
]);

/**
 * What keeps the newest pods of a workload from running; undefined when nothing is seen. Pods of older templates say nothing about
 * this rollout.
 */
export function podTrouble(pods: readonly unknown[]): Trouble | undefined {
  const [first, ...others] = pods.filter(
    (pod) => jsonField(metadataOf(pod), "deletionTimestamp") === undefined,
  );
  if (first === undefined) return undefined;
  const newest = others.reduce((best, pod) => (createdAt(pod) > createdAt(best) ? pod : best), first);
  const revision = podRevisionOf(newest);
  const troubles = [first, ...others].filter((pod) => podRevisionOf(pod) === revision).flatMap(troublesOf);
  // Waiting for a node may pass; what a container says does not.
  return troubles.find(({ reason }) => reason !== "Unschedulable") ?? troubles[0];
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
  const scheduled = jsonList(status, "conditions").find(
    (one) => jsonField(one, "type") === "PodScheduled" && jsonField(one, "reason") === "Unschedulable",
  );
  const isWithout = scheduled !== undefined && jsonField(scheduled, "status") === "False";
  const message = `pod ${name}: ${jsonText(scheduled, "message") ?? ""}`;
  return [...waiting, ...(isWithout ? [{ reason: "Unschedulable", message } as const] : [])];
}

function metadataOf(pod: unknown): unknown {
  return jsonField(pod, "metadata");
}

/** RFC 3339 in UTC: later is greater. */
function createdAt(pod: unknown): string {
  return jsonText(metadataOf(pod), "creationTimestamp") ?? "";
}
