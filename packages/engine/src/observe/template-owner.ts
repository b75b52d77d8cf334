import { podSelectorOf } from "@fleet-reloader/domain/rollout-state/pod-selector";
import type { LiveWorkload } from "../ports/cluster-api.ts";

/** Gives a workload that refers to another object for its pod template the template of that object. */
export function withTemplateOf(workload: LiveWorkload, owner: LiveWorkload): LiveWorkload {
  return {
    ...workload,
    template: owner.template,
    templateAnnotations: owner.templateAnnotations,
    templateOwner: {
      ref: owner.ref,
      resourceVersion: owner.resourceVersion,
      podSelector: podSelectorOf(owner.object),
      annotations: owner.annotations,
      generation: owner.generation,
    },
    // Both only grow: their sum is different when either is.
    generation: workload.generation + owner.generation,
    templateChangedAtSeconds: owner.templateChangedAtSeconds,
  };
}

/** Selects the pods of a workload; undefined where nothing says which they are. */
export function selectorOfPods({ object, templateOwner }: LiveWorkload): string | undefined {
  return podSelectorOf(object) ?? templateOwner?.podSelector;
}
