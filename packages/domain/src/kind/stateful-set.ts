import { statefulSetState } from "../rollout-state/revisioned.ts";
import { podController } from "./pod-controller.ts";

export const statefulSet = podController(
  "StatefulSet",
  { group: "apps", version: "v1", plural: "statefulsets" },
  statefulSetState,
  { newPodCount: "updatedReplicas" },
);
