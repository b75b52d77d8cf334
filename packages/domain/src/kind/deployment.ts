import { deploymentState } from "../rollout-state/replicated.ts";
import { podController } from "./pod-controller.ts";

export const deployment = podController(
  "Deployment",
  { group: "apps", version: "v1", plural: "deployments" },
  deploymentState,
  { newPodCount: "updatedReplicas" },
);
