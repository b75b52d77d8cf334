import { daemonSetState } from "../rollout-state/revisioned.ts";
import { podController } from "./pod-controller.ts";

export const daemonSet = podController(
  "DaemonSet",
  { group: "apps", version: "v1", plural: "daemonsets" },
  daemonSetState,
  { newPodCount: "updatedNumberScheduled" },
);
