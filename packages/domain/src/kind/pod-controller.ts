import type { RolloutState } from "../rollout-state/rollout-state.ts";
import type { RollWrite } from "../strategy/roll-write.ts";
import type { WorkloadKind } from "../workload/workload-kind.ts";

/** A kind whose controller replaces the pods when the template changes: a change of the template rolls it. */
export function podController(
  kind: string,
  resource: { readonly group: string; readonly version: string; readonly plural: string | undefined },
  rolloutState: (object: unknown) => RolloutState,
  how: Partial<Pick<WorkloadKind, "apiKind" | "patch" | "isOptional" | "templatePath" | "newPodCount">> = {},
): WorkloadKind {
  return {
    kind,
    apiKind: kind,
    ...resource,
    isOptional: false,
    patch: "strategic",
    templatePath: ["spec", "template"],
    isTemplateRolled: true,
    roll: ({ edit }): RollWrite => ({ type: "template", edit }),
    rolloutState,
    ...how,
  };
}
