import {
  isJsonObject,
  type JsonObject,
  jsonField,
  jsonList,
  jsonText,
  jsonTexts,
  parseJson,
} from "../json.ts";
import { jobState } from "../rollout-state/runs.ts";
import { applyEdit } from "../strategy/apply-edit.ts";
import type { NewObject, RollWrite } from "../strategy/roll-write.ts";
import type { Eligibility } from "../workload/eligibility.ts";
import type { WorkloadRef } from "../workload/workload.ts";
import type { PlannedRoll, WorkloadKind } from "../workload/workload-kind.ts";
import { nameForRoll } from "./short-name.ts";

/** On a stash: the Job that is recreated from it. */
const replacesAnnotation = "fleet-reloader.io/replaces";
/** On a stash: the uid of the Job that it replaces. A Job of that name with another uid is the new one. */
const replacesUidAnnotation = "fleet-reloader.io/replaces-uid";
/** On a stash: the parts of the new Job that differ from the stash. */
const replacementAnnotation = "fleet-reloader.io/replacement";
/**
 * On a Job: the uid of a stash that it no longer needs. The write changes the Job's version, so a process that still wants to replace the Job
 * has to read it again.
 */
export const keptAnnotation = "fleet-reloader.io/kept";

/**
 * A Job's template cannot be changed, so the Job is deleted and recreated under its name. First a stash is created: a suspended Job under
 * another name that holds the whole new Job. Its creation shows that admission and quota allow a Job. Whatever happens afterwards, the new Job
 * is made from the stash, and only then is the stash deleted.
 */
export const job: WorkloadKind = {
  kind: "Job",
  apiKind: "Job",
  group: "batch",
  version: "v1",
  plural: "jobs",
  isOptional: false,
  patch: "strategic",
  templatePath: ["spec", "template"],
  eligibility: jobEligibilityOf,
  roll: (roll): RollWrite => ({ type: "replace", stash: stashOf(roll) }),
  rolloutState: jobState,
};

/** All pods of the Job have ended. */
const endedPodsConditions: ReadonlySet<unknown> = new Set(["Complete", "Failed"]);
/** It has succeeded or failed, and some pods may still be stopping. */
const decidedConditions: ReadonlySet<unknown> = new Set([
  ...endedPodsConditions,
  "SuccessCriteriaMet",
  "FailureTarget",
]);

function jobEligibilityOf(object: unknown): Eligibility {
  const metadata = jsonField(object, "metadata");
  if (jsonText(metadata, "annotations", replacesAnnotation) !== undefined) return "stash";
  const owners = jsonList(metadata, "ownerReferences");
  if (owners.some((owner) => jsonField(owner, "controller") === true)) return "owned";
  if (hasCondition(object, decidedConditions)) return "finished";
  return jsonField(object, "spec", "suspend") === true ? "suspended" : "served";
}

/** Whether all pods of a Job have ended. That it has succeeded or failed is decided earlier. */
export function hasJobEnded(object: unknown): boolean {
  return hasCondition(object, endedPodsConditions);
}

function hasCondition(object: unknown, types: ReadonlySet<unknown>): boolean {
  return jsonList(object, "status", "conditions").some(
    (condition) => types.has(jsonField(condition, "type")) && jsonField(condition, "status") === "True",
  );
}

/** The new Job that a stash describes, and the Job that it replaces. */
export interface Stashed {
  readonly replaced: WorkloadRef;
  readonly replacedUid: string;
  readonly made: NewObject;
}

/** The parts of the new Job that a stash keeps in an annotation, because a stash itself never runs, selects nothing and has no owner. */
interface JobReplacementSpec {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

function stashOf({ live, edit, applied, keyed }: PlannedRoll): NewObject {
  const { namespace, name: jobName } = live.ref;
  const metadata = jsonField(live.object, "metadata");
  const spec = objectOrEmpty(jsonField(live.object, "spec"));
  const annotations = jsonTexts(metadata, "annotations");
  const labels = jsonTexts(metadata, "labels");
  // Everything that the new Job is made from, except the time of the edit: the same roll has the same stash.
  const parts = [live.uid, applied.after, JSON.stringify([spec, annotations, labels])];
  const name = nameForRoll(jobName, "-reload", parts, keyed);
  const isSelectorOwn = spec.manualSelector === true;
  const template = applyEdit(spec.template, edit);
  const { selector, manualSelector: _manual, suspend, ...others } = spec;
  const replacement: JobReplacementSpec = {
    metadata: {
      labels: withoutJobLabels(labels),
      annotations: withChanges(annotations, applied.annotations),
      ...definedFields("ownerReferences", jsonField(metadata, "ownerReferences")),
      ...definedFields("finalizers", jsonField(metadata, "finalizers")),
    },
    spec: { suspend: suspend === true, ...(isSelectorOwn ? { selector, manualSelector: true } : {}) },
  };
  return {
    ref: { kind: "Job", namespace, name },
    object: {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: {
        name,
        namespace,
        labels: { [replacesAnnotation]: "job" },
        annotations: {
          [replacesAnnotation]: jobName,
          [replacesUidAnnotation]: live.uid,
          [replacementAnnotation]: JSON.stringify(replacement),
        },
      },
      spec: {
        ...others,
        suspend: true,
        template: isSelectorOwn ? template : withoutTemplateLabels(template),
      },
    },
  };
}

/** The new Job that a stash describes; undefined when somebody has damaged the stash. */
export function readStash(stash: {
  readonly ref: WorkloadRef;
  readonly object: unknown;
}): Stashed | undefined {
  const annotations = jsonField(stash.object, "metadata", "annotations");
  const name = jsonText(annotations, replacesAnnotation);
  const replacedUid = jsonText(annotations, replacesUidAnnotation);
  const replacement = parseJson(jsonText(annotations, replacementAnnotation) ?? "");
  const ownSpec = jsonField(replacement, "spec");
  const metadata = jsonField(replacement, "metadata");
  if (name === undefined || replacedUid === undefined || !isJsonObject(ownSpec) || !isJsonObject(metadata))
    return undefined;
  const { namespace } = stash.ref;
  // The API server gave the stash a selector and labels of its own.
  const {
    selector: _selector,
    manualSelector: _manual,
    ...spec
  } = objectOrEmpty(jsonField(stash.object, "spec"));
  const replaced = { kind: "Job", namespace, name };
  return {
    replaced,
    replacedUid,
    made: {
      ref: replaced,
      object: {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { ...metadata, ...unblockedOwners(metadata), name, namespace },
        spec: { ...spec, ...ownSpec, template: withoutTemplateLabels(spec.template) },
      },
    },
  };
}

/** Labels that the API server makes for each Job. */
const jobLabels: ReadonlySet<string> = new Set([
  "controller-uid",
  "job-name",
  "batch.kubernetes.io/controller-uid",
  "batch.kubernetes.io/job-name",
]);

function withoutJobLabels(labels: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !jobLabels.has(key)));
}

function withoutTemplateLabels(template: unknown): JsonObject {
  const metadata = objectOrEmpty(jsonField(template, "metadata"));
  const labels = withoutJobLabels(jsonTexts(metadata.labels));
  return { ...objectOrEmpty(template), metadata: { ...metadata, labels } };
}

/**
 * Removes blockOwnerDeletion: for it, some clusters require the right to update the owner's finalizers. They would refuse the new Job after the
 * old one is deleted.
 */
function unblockedOwners(metadata: JsonObject): JsonObject {
  const owners = jsonList(metadata, "ownerReferences").map((owner) => {
    const { blockOwnerDeletion: _, ...others } = objectOrEmpty(owner);
    return others;
  });
  return owners.length === 0 ? {} : { ownerReferences: owners };
}

function withChanges(
  annotations: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): JsonObject {
  const all = Object.entries({ ...annotations, ...changes });
  return Object.fromEntries(all.filter(([key, value]) => value !== null && key !== keptAnnotation));
}

function definedFields(field: string, value: unknown): JsonObject {
  return value === undefined ? {} : { [field]: value };
}

function objectOrEmpty(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
