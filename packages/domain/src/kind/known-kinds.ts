import type { WorkloadKind } from "../workload/workload-kind.ts";
import { cronJob } from "./cron-job.ts";
import { job } from "./job.ts";
import { daemonSet, deployment, deploymentConfig, statefulSet } from "./pod-controller.ts";
import { rollout } from "./rollout.ts";

/** Every kind that is known without a declaration, in the peer's order of action (compat section 3.6); ours come last. */
export const knownKinds: readonly WorkloadKind[] = [
  deployment,
  cronJob,
  job,
  daemonSet,
  statefulSet,
  rollout,
  deploymentConfig,
];

/** The kinds that are served by default. Argo's Rollout has to be enabled, as with the peer. */
export const defaultKinds: readonly WorkloadKind[] = knownKinds.filter((kind) => kind !== rollout);
