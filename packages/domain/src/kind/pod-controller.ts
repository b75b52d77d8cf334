import { deploymentConfigState, deploymentState } from "../rollout-state/replicated.ts";
import { daemonSetState, statefulSetState } from "../rollout-state/revisioned.ts";
import type { RolloutState } from "../rollout-state/rollout-state.ts";
import { hasNewPods, type NewPodCount } from "../rollout-state/status.ts";
import type { RollWrite } from "../strategy/roll-write.ts";
import type { WorkloadKind } from "../workload/workload-kind.ts";

/** A kind whose controller replaces the pods when the template changes. */
export function podController(
  kind: string,
  resource: { readonly group: string; readonly version: string; readonly plural: string | undefined },
  rolloutState: (object: unknown) => RolloutState,
  how: Partial<Pick<WorkloadKind, "apiKind" | "patch" | "isOptional" | "templatePath" | "hasNewPods">> = {},
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

/** A controller of Kubernetes itself. */
function appsController(
  kind: string,
  plural: string,
  rolloutState: (object: unknown) => RolloutState,
  newPodCount: NewPodCount = "updatedReplicas",
): WorkloadKind {
  return podController(kind, { group: "apps", version: "v1", plural }, rolloutState, {
    hasNewPods: (object) => hasNewPods(object, newPodCount),
  });
}

export const deployment = appsController("Deployment", "deployments", deploymentState);
export const statefulSet = appsController("StatefulSet", "statefulsets", statefulSetState);
export const daemonSet = appsController("DaemonSet", "daemonsets", daemonSetState, "updatedNumberScheduled");

/** OpenShift's. Served if the cluster has it. We do not rely on strategic merge patches of its API. */
export const deploymentConfig = podController(
  "DeploymentConfig",
  { group: "apps.openshift.io", version: "v1", plural: "deploymentconfigs" },
  deploymentConfigState,
  { patch: "merge", isOptional: true, hasNewPods },
);
