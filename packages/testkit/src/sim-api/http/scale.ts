import { type JsonObject, numberAt, objectAt, withPath } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";

/** The `/scale` view of a workload. */
export function toScale(workload: KubeObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = workload.metadata;
  const labels = objectAt(workload, "spec", "selector", "matchLabels") ?? {};
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: numberAt(workload, "spec", "replicas") ?? 0 },
    status: {
      replicas: numberAt(workload, "status", "replicas") ?? 0,
      selector: Object.entries(labels)
        .map(([key, value]) => `${key}=${String(value)}`)
        .join(","),
    },
  };
}

/** The workload that a written Scale asks for. */
export function fromScale(workload: KubeObject, scale: JsonObject): JsonObject {
  const scaled = withPath(workload, ["spec", "replicas"], numberAt(scale, "spec", "replicas") ?? 0);
  const version = objectAt(scale, "metadata")?.resourceVersion;
  return version === undefined ? scaled : withPath(scaled, ["metadata", "resourceVersion"], version);
}
