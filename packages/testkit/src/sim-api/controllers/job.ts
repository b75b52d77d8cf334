import { numberAt, objectAt } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import { kubeTime } from "../objects/managed-fields.ts";
import type { ResourceType } from "../objects/resource-types.ts";
import { type ControllerDeps, condition, writeStatus } from "./controller-kit.ts";

/** A Job starts at once and succeeds after a while, unless it is suspended, or nothing here ever finishes. */
export function syncJob(
  deps: ControllerDeps & { readonly jobsFinish: boolean },
  type: ResourceType,
  job: KubeObject,
): number | undefined {
  const status = objectAt(job, "status") ?? {};
  if (status.completionTime !== undefined || objectAt(job, "spec")?.suspend === true) return undefined;
  const { uid, namespace = "", name } = job.metadata;
  const completions = numberAt(job, "spec", "completions") ?? 1;
  const startTime = status.startTime ?? kubeTime(new Date());
  const runMs = deps.jobsFinish ? deps.pace.remainingMs(uid) : Number.POSITIVE_INFINITY;
  // Nothing to wait for.
  const waitMs = completions === 0 ? 0 : runMs;
  if (waitMs > 0 || deps.pace.isStalled("Job", namespace, name)) {
    writeStatus(deps.registry, type, job, {
      startTime,
      active: 1,
      ready: 1,
      terminating: 0,
      uncountedTerminatedPods: {},
    });
    return waitMs > 0 && waitMs < Number.POSITIVE_INFINITY ? waitMs : undefined;
  }
  deps.pace.done(uid);
  writeStatus(deps.registry, type, job, {
    startTime,
    completionTime: kubeTime(new Date()),
    succeeded: completions,
    ready: 0,
    terminating: 0,
    uncountedTerminatedPods: {},
    conditions: [
      condition(job, "Complete", "True", "CompletionsReached", "Reached expected number of succeeded pods"),
    ],
  });
  return undefined;
}
