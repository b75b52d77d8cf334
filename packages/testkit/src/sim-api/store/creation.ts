import { randomBytes, randomUUID } from "node:crypto";
import { equalJson, type JsonObject, objectAt, stringAt, withPath } from "../objects/json.ts";
import type { ResourceType } from "../objects/resource-types.ts";

/** No vowels and no look-alikes, as in Kubernetes. */
const SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;
const GENERATED_PREFIX_MAX = 63 - SUFFIX_LENGTH;

/** The object's name, made from `generateName` when it has none. */
export function nameFrom(body: JsonObject): string | undefined {
  const name = stringAt(body, "metadata", "name");
  if (name !== undefined && name !== "") return name;
  const prefix = stringAt(body, "metadata", "generateName");
  if (prefix === undefined || prefix === "") return undefined;
  return prefix.slice(0, GENERATED_PREFIX_MAX) + randomSuffix();
}

function randomSuffix(): string {
  return [...randomBytes(SUFFIX_LENGTH)].map((byte) => SUFFIX_LETTERS[byte % SUFFIX_LETTERS.length]).join("");
}

/** What the server adds or clears when an object of this kind comes to be. */
export function onCreate(type: ResourceType, body: JsonObject, name: string): JsonObject {
  if (type.isCustom) return body;
  switch (type.kind) {
    case "Namespace":
      return withPath(body, ["metadata", "labels"], {
        ...objectAt(body, "metadata", "labels"),
        "kubernetes.io/metadata.name": name,
      });
    case "Job":
      return withJobIdentity({ ...body, status: {} }, name);
    case "DaemonSet":
      return withTemplateGeneration(
        {
          ...body,
          status: {
            currentNumberScheduled: 0,
            desiredNumberScheduled: 0,
            numberMisscheduled: 0,
            numberReady: 0,
          },
        },
        1,
      );
    case "StatefulSet":
      return { ...body, status: { replicas: 0, availableReplicas: 0 } };
    case "ReplicaSet":
      return { ...body, status: { replicas: 0 } };
    case "Pod":
      return { ...body, status: { phase: "Pending", qosClass: "BestEffort" } };
    default:
      return type.hasStatus ? { ...body, status: {} } : body;
  }
}

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/** A DaemonSet counts the changes of its template in an annotation of its own. */
export function onTemplateChange(type: ResourceType, current: JsonObject, wanted: JsonObject): JsonObject {
  if (type.kind !== "DaemonSet") return wanted;
  const generation = Number(stringAt(current, "metadata", "annotations", TEMPLATE_GENERATION) ?? 0);
  const isSame = equalJson(objectAt(current, "spec", "template"), objectAt(wanted, "spec", "template"));
  return withTemplateGeneration(wanted, isSame ? generation : generation + 1);
}

function withTemplateGeneration(body: JsonObject, generation: number): JsonObject {
  return withPath(body, ["metadata", "annotations", TEMPLATE_GENERATION], String(generation));
}

/** A Job's pods are found by a label that the server makes up; that is why a Job's template cannot simply be re-used. */
function withJobIdentity(job: JsonObject, name: string): JsonObject {
  if (objectAt(job, "spec")?.manualSelector === true) return job;
  const id = randomUUID();
  const labels = {
    ...objectAt(job, "spec", "template", "metadata", "labels"),
    "batch.kubernetes.io/controller-uid": id,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": id,
    "job-name": name,
  };
  const named = withPath(job, ["metadata", "labels"], objectAt(job, "metadata", "labels") ?? labels);
  const labelled = withPath(named, ["spec", "template", "metadata", "labels"], labels);
  return withPath(labelled, ["spec", "selector"], {
    matchLabels: { "batch.kubernetes.io/controller-uid": id },
  });
}
