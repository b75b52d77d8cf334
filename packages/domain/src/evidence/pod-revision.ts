import { jsonTexts } from "../json.ts";

/** The labels by which controllers tell pods of one template from pods of another: ReplicaSets, StatefulSets and DaemonSets, Argo's Rollouts. */
const revisionLabels = [
  "pod-template-hash",
  "controller-revision-hash",
  "rollouts-pod-template-hash",
] as const;

/** The template that a pod was made from; undefined where its controller sets no such label. */
export function podRevisionOf(pod: unknown): string | undefined {
  const labels = jsonTexts(pod, "metadata", "labels");
  return revisionLabels
    .map((label) => (Object.hasOwn(labels, label) ? labels[label] : undefined))
    .find(Boolean);
}
