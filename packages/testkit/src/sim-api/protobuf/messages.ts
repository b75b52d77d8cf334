import type { FieldType, Message } from "./decode-message.ts";
import { list, map, message, nested } from "./message-rules.ts";
import { localReference, podSpec } from "./pod-messages.ts";

/**
 * The kinds that kubectl's `create` commands send as protobuf, from the `.proto` files of Kubernetes
 * 1.36. Fields that no such command sets are left out; meeting one is an error, never a silent loss.
 */

const empty = message({});

const ownerReference = message({
  1: ["kind", "string"],
  3: ["name", "string"],
  4: ["uid", "string"],
  5: ["apiVersion", "string"],
  6: ["controller", "flag"],
  7: ["blockOwnerDeletion", "flag"],
});

const objectMeta = message({
  1: ["name", "string"],
  2: ["generateName", "string"],
  3: ["namespace", "string"],
  4: ["selfLink", "string"],
  5: ["uid", "string"],
  6: ["resourceVersion", "string"],
  7: ["generation", "int0"],
  8: ["creationTimestamp", "time"],
  9: ["deletionTimestamp", "time"],
  11: ["labels", map("string")],
  12: ["annotations", map("string")],
  13: ["ownerReferences", list(nested(() => ownerReference))],
  14: ["finalizers", list("string")],
});

const meta: readonly [string, FieldType] = ["metadata", nested(() => objectMeta)];

const template = message({ 1: meta, 2: ["spec", nested(() => podSpec)] });
const selector = message({ 1: ["matchLabels", map("string")] });

const rollingUpdate = message({ 1: ["maxUnavailable", "int-or-string"], 2: ["maxSurge", "int-or-string"] });
const strategy = message({ 1: ["type", "string"], 2: ["rollingUpdate", nested(() => rollingUpdate)] });

const deploymentSpec = message({
  1: ["replicas", "int"],
  2: ["selector", nested(() => selector)],
  3: ["template", nested(() => template)],
  4: ["strategy", nested(() => strategy)],
  5: ["minReadySeconds", "int0"],
  6: ["revisionHistoryLimit", "int"],
  7: ["paused", "flag0"],
  9: ["progressDeadlineSeconds", "int"],
});

/** A new object's status is empty; its zeros are read and dropped by the server like any status. */
const deploymentStatus = message({
  1: ["observedGeneration", "int0"],
  2: ["replicas", "int0"],
  3: ["updatedReplicas", "int0"],
  4: ["availableReplicas", "int0"],
  5: ["unavailableReplicas", "int0"],
  7: ["readyReplicas", "int0"],
});

const jobSpec = message({
  1: ["parallelism", "int"],
  2: ["completions", "int"],
  3: ["activeDeadlineSeconds", "int"],
  4: ["selector", nested(() => selector)],
  5: ["manualSelector", "flag"],
  6: ["template", nested(() => template)],
  7: ["backoffLimit", "int"],
  8: ["ttlSecondsAfterFinished", "int"],
  9: ["completionMode", "string"],
  10: ["suspend", "flag"],
  14: ["podReplacementPolicy", "string"],
});

const jobStatus = message({
  4: ["active", "int0"],
  5: ["succeeded", "int0"],
  6: ["failed", "int0"],
  7: ["completedIndexes", "string"],
});

const jobTemplate = message({ 1: meta, 2: ["spec", nested(() => jobSpec)] });

const cronJobSpec = message({
  1: ["schedule", "string"],
  2: ["startingDeadlineSeconds", "int"],
  3: ["concurrencyPolicy", "string"],
  4: ["suspend", "flag"],
  5: ["jobTemplate", nested(() => jobTemplate)],
  6: ["successfulJobsHistoryLimit", "int"],
  7: ["failedJobsHistoryLimit", "int"],
  8: ["timeZone", "string"],
});

const resourceAttributes = message({
  1: ["namespace", "string"],
  2: ["verb", "string"],
  3: ["group", "string"],
  4: ["version", "string"],
  5: ["resource", "string"],
  6: ["subresource", "string"],
  7: ["name", "string"],
});

const pathAttributes = message({ 1: ["path", "string"], 2: ["verb", "string"] });
const reviewSpec = message({
  1: ["resourceAttributes", nested(() => resourceAttributes)],
  2: ["nonResourceAttributes", nested(() => pathAttributes)],
});

const namespaceSpec = message({ 1: ["finalizers", list("string")] });

export const messages: ReadonlyMap<string, Message> = new Map([
  [
    "ConfigMap",
    message({
      1: meta,
      2: ["data", map("string")],
      3: ["binaryData", map("bytes")],
      4: ["immutable", "flag"],
    }),
  ],
  [
    "Secret",
    message({
      1: meta,
      2: ["data", map("bytes")],
      3: ["type", "string"],
      4: ["stringData", map("string")],
      5: ["immutable", "flag"],
    }),
  ],
  [
    "Namespace",
    message({
      1: meta,
      2: ["spec", nested(() => namespaceSpec)],
      3: ["status", nested(() => message({ 1: ["phase", "string"] }))],
    }),
  ],
  [
    "ServiceAccount",
    message({
      1: meta,
      3: ["imagePullSecrets", list(nested(() => localReference))],
      4: ["automountServiceAccountToken", "flag"],
    }),
  ],
  [
    "Deployment",
    message({
      1: meta,
      2: ["spec", nested(() => deploymentSpec)],
      3: ["status", nested(() => deploymentStatus)],
    }),
  ],
  ["Job", message({ 1: meta, 2: ["spec", nested(() => jobSpec)], 3: ["status", nested(() => jobStatus)] })],
  [
    "CronJob",
    message({ 1: meta, 2: ["spec", nested(() => cronJobSpec)], 3: ["status", nested(() => empty)] }),
  ],
  [
    "SelfSubjectAccessReview",
    message({
      1: meta,
      2: ["spec", nested(() => reviewSpec)],
      3: [
        "status",
        nested(() =>
          message({
            1: ["allowed", "flag0"],
            2: ["reason", "string"],
            3: ["evaluationError", "string"],
            4: ["denied", "flag0"],
          }),
        ),
      ],
    }),
  ],
]);
