import { podSelectorOf } from "@fleet-reloader/domain/rollout-state/pod-selector";
import type { LiveWorkload } from "../ports/cluster-api.ts";

/** Returns a workload with the pod template of the object that it refers to. */
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
    // Both only grow, so their sum changes when either does.
    generation: workload.generation + owner.generation,
    templateChangedAtSeconds: owner.templateChangedAtSeconds,
  };
}

/** Selects the pods of a workload; undefined if it is not known which they are. */
export function selectorOfPods({ object, templateOwner }: LiveWorkload): string | undefined {
  return podSelectorOf(object) ?? templateOwner?.podSelector;
}
