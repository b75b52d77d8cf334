import type { LiveWorkload } from "../ports/cluster-api.ts";

/** Gives a workload that refers to another object for its pod template the template of that object. */
export function withTemplateOf(workload: LiveWorkload, owner: LiveWorkload): LiveWorkload {
  return {
    ...workload,
    template: owner.template,
    templateAnnotations: owner.templateAnnotations,
    templateOwner: { ref: owner.ref, resourceVersion: owner.resourceVersion },
    // Both only grow: their sum is different when either is.
    generation: workload.generation + owner.generation,
    templateChangedAtSeconds: owner.templateChangedAtSeconds,
  };
}
