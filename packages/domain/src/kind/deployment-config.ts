import { deploymentConfigState } from "../rollout-state/replicated.ts";
import { podController } from "./pod-controller.ts";

/** OpenShift's. Served where the cluster has it; its API knows no strategic merge that we could rely on. */
export const deploymentConfig = podController(
  "DeploymentConfig",
  { group: "apps.openshift.io", version: "v1", plural: "deploymentconfigs" },
  deploymentConfigState,
  { patch: "merge", isOptional: true, newPodCount: "updatedReplicas" },
);
