import { secondsOf } from "../evidence/managed-fields.ts";
import { isJsonObject, type JsonObject, jsonField, jsonList, jsonText, jsonTexts } from "../json.ts";
import { over } from "../rollout-state/rollout-state.ts";
import { applyEdit } from "../strategy/apply-edit.ts";
import type { RollWrite } from "../strategy/roll-write.ts";
import type { Eligibility } from "../workload/eligibility.ts";
import { annotationValue } from "../workload/workload.ts";
import type { ExclusiveRuns, PlannedRoll, WorkloadKind } from "../workload/workload-kind.ts";
import { nameForRoll } from "./short-name.ts";

/**
 * On a CronJob: the name of the Job that was made for its last change. The name of each Job depends on that of the one before. So a content that
 * comes back runs again, while a repeat of the same change finds its Job.
 */
export const lastRunAnnotation = "fleet-reloader.io/last-run";

/**
 * A roll leaves the CronJob's template as it is and creates a Job from it at once, as `kubectl create job --from` does. If its schedule has made
 * a Job since the change, there is nothing left to run. A roll that its concurrency policy forbids waits: see `exclusiveRuns`.
 */
export const cronJob: WorkloadKind = {
  kind: "CronJob",
  apiKind: "CronJob",
  group: "batch",
  version: "v1",
  plural: "cronjobs",
  isOptional: false,
  patch: "strategic",
  templatePath: ["spec", "jobTemplate", "spec", "template"],
  eligibility: (object): Eligibility =>
    jsonField(object, "spec", "suspend") === true ? "suspended" : "served",
  // The controller sets this time only when it makes a Job: not for a run that it skips, and not for a Job that a person makes.
  lastDueAtSeconds: (object) => secondsOf(jsonField(object, "status", "lastScheduleTime")),
  exclusiveRuns: exclusiveRunsOf,
  roll: runNow,
  rolloutState: () => over("NextRun"),
};

function exclusiveRunsOf(object: unknown): ExclusiveRuns | undefined {
  if (jsonField(object, "spec", "concurrencyPolicy") !== "Forbid") return undefined;
  const active = jsonList(object, "status", "active").map((job) => jsonText(job, "name") ?? "");
  return { active: active[0], lastMade: jsonText(object, "metadata", "annotations", lastRunAnnotation) };
}

function runNow({ live, edit, applied, keyed }: PlannedRoll): RollWrite {
  const { namespace, name: cronJobName } = live.ref;
  const lastRun = annotationValue(live.annotations, lastRunAnnotation) ?? "";
  // The last Job was made with this applied state. The next name would create a second Job.
  if (applied.isWritten && lastRun !== "") return { type: "create", made: undefined, annotations: {} };
  const parts = [live.uid, lastRun, applied.before ?? "", applied.after];
  const name = nameForRoll(cronJobName, "", parts, keyed);
  const jobTemplate = jsonField(live.object, "spec", "jobTemplate");
  const metadata = jsonField(jobTemplate, "metadata");
  const spec = fieldOrEmpty(jsonField(jobTemplate, "spec"));
  return {
    type: "create",
    annotations: { [lastRunAnnotation]: name },
    made: {
      ref: { kind: "Job", namespace, name },
      object: {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: {
          name,
          namespace,
          labels: jsonTexts(metadata, "labels"),
          annotations: {
            ...jsonTexts(metadata, "annotations"),
            "cronjob.kubernetes.io/instantiate": "manual",
          },
          // Without blockOwnerDeletion: for it, some clusters require the right to update the CronJob's finalizers.
          ownerReferences: [
            { apiVersion: "batch/v1", kind: "CronJob", name: cronJobName, uid: live.uid, controller: true },
          ],
        },
        spec: { ...spec, template: applyEdit(jsonField(spec, "template"), edit) },
      },
    },
  };
}

function fieldOrEmpty(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
