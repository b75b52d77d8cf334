import { jsonField } from "@fleet-reloader/domain/json";
import { stableHash } from "@fleet-reloader/domain/ownership/stable-hash";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import { stringMap } from "../../json.ts";

/** The controller writes these together with the status of a workload, and an audit policy omits subresources. */
const controllerPrefix = "deployment.kubernetes.io/";

/**
 * The part of a workload whose changes need a hint: its annotations and its pod template. Its generation also counts replicas, which an
 * autoscaler writes through a subresource.
 */
export function workloadPrint({ templatePath }: WorkloadKind, object: unknown): string {
  const annotations = Object.entries(stringMap(object, "metadata", "annotations"))
    .filter(([key]) => !key.startsWith(controllerPrefix))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const suspended = jsonField(object, "spec", "suspend");
  return String(stableHash(JSON.stringify([annotations, suspended, jsonField(object, ...templatePath)])));
}
