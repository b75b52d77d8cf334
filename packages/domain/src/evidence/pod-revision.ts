import { jsonTexts } from "../json.ts";

/** The labels by which controllers tell the pods of one template from those of another: of ReplicaSets, of StatefulSets and DaemonSets, of Argo's Rollouts. */
const revisionLabels = [
  "pod-template-hash",
  "controller-revision-hash",
  "rollouts-pod-template-hash",
] as const;

/** Which template a pod was made from; undefined where its controller does not tell. */
export function podRevisionOf(pod: unknown): string | undefined {
  const labels = jsonTexts(pod, "metadata", "labels");
  return revisionLabels
    .map((label) => (Object.hasOwn(labels, label) ? labels[label] : undefined))
    .find(Boolean);
}
