import {
  arrayAt,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  withPath,
} from "./json.ts";
import type { ResourceType } from "./resource-types.ts";

/** The defaults that change what a client reads back of the served kinds; the rarely seen ones are left out. */
export function withDefaults(type: ResourceType, body: JsonObject): JsonObject {
  if (type.isCustom) return body;
  const own = defaultsOf(type, body);
  const withOwn = own === undefined ? body : underlay(body, own);
  const podSpecPath = type.kind === "Pod" ? ["spec"] : type.templatePath && [...type.templatePath, "spec"];
  const podSpec = podSpecPath && objectAt(withOwn, ...podSpecPath);
  if (podSpecPath === undefined || podSpec === undefined) return withOwn;
  return withPath(withOwn, podSpecPath, withPodDefaults(type, podSpec));
}

function defaultsOf(type: ResourceType, body: JsonObject): JsonObject | undefined {
  switch (type.kind) {
    case "Secret":
      return { type: "Opaque" };
    case "Namespace":
      return { spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } };
    case "Deployment":
      return {
        spec: {
          replicas: 1,
          ...strategyDefaults(body, "strategy", { maxUnavailable: "25%", maxSurge: "25%" }),
          revisionHistoryLimit: 10,
          progressDeadlineSeconds: 600,
        },
      };
    case "ReplicaSet":
      return { spec: { replicas: 1 } };
    case "StatefulSet":
      return {
        spec: {
          replicas: 1,
          podManagementPolicy: "OrderedReady",
          ...strategyDefaults(body, "updateStrategy", { partition: 0 }),
          revisionHistoryLimit: 10,
          persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
        },
      };
    case "DaemonSet":
      return {
        spec: {
          ...strategyDefaults(body, "updateStrategy", { maxUnavailable: 1, maxSurge: 0 }),
          revisionHistoryLimit: 10,
        },
      };
    case "Job":
      return {
        spec: {
          parallelism: 1,
          completions: 1,
          backoffLimit: 6,
          completionMode: "NonIndexed",
          manualSelector: false,
          podReplacementPolicy: "TerminatingOrFailed",
          suspend: false,
        },
      };
    case "CronJob":
      return {
        spec: {
          concurrencyPolicy: "Allow",
          suspend: false,
          successfulJobsHistoryLimit: 3,
          failedJobsHistoryLimit: 1,
        },
      };
    default:
      return undefined;
  }
}

function strategyDefaults(body: JsonObject, field: string, rollingUpdate: JsonObject): JsonObject {
  const strategy = objectAt(body, "spec", field);
  const type = strategy?.type ?? "RollingUpdate";
  return { [field]: type === "RollingUpdate" ? { type, rollingUpdate } : { type } };
}

function withPodDefaults(type: ResourceType, spec: JsonObject): JsonObject {
  return underlay(
    {
      ...spec,
      ...itemsWith(spec, "containers", withContainerDefaults),
      ...itemsWith(spec, "initContainers", withContainerDefaults),
      ...itemsWith(spec, "volumes", withVolumeDefaults),
    },
    {
      ...(type.group === "batch" ? {} : { restartPolicy: "Always" }),
      terminationGracePeriodSeconds: 30,
      // The old name of the field, kept equal.
      ...(spec.serviceAccountName === undefined ? {} : { serviceAccount: spec.serviceAccountName }),
      dnsPolicy: "ClusterFirst",
      securityContext: {},
      schedulerName: "default-scheduler",
    },
  );
}

function itemsWith(spec: JsonObject, list: string, fill: (item: JsonObject) => JsonObject): JsonObject {
  if (!isJsonArray(spec[list])) return {};
  return { [list]: arrayAt(spec, list).map((item) => (isJsonObject(item) ? fill(item) : item)) };
}

function withContainerDefaults(container: JsonObject): JsonObject {
  const image = typeof container.image === "string" ? container.image : "";
  const isLatest =
    !image.includes("@") &&
    (image.endsWith(":latest") || !image.slice(image.lastIndexOf("/") + 1).includes(":"));
  return underlay(
    {
      ...container,
      ...itemsWith(container, "env", withEnvDefaults),
      ...itemsWith(container, "ports", withPortDefaults),
      ...probesOf(container),
    },
    {
      resources: {},
      terminationMessagePath: "/dev/termination-log",
      terminationMessagePolicy: "File",
      imagePullPolicy: isLatest ? "Always" : "IfNotPresent",
    },
  );
}

function probesOf(container: JsonObject): JsonObject {
  const names = ["livenessProbe", "readinessProbe", "startupProbe"];
  return Object.fromEntries(
    names.flatMap((name) => {
      const probe = container[name];
      return isJsonObject(probe) ? [[name, withProbeDefaults(probe)]] : [];
    }),
  );
}

function withProbeDefaults(probe: JsonObject): JsonObject {
  const request = isJsonObject(probe.httpGet) ? { httpGet: { path: "/", scheme: "HTTP" } } : {};
  const limits = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
  return underlay(probe, { ...request, ...limits });
}

function withEnvDefaults(variable: JsonObject): JsonObject {
  if (objectAt(variable, "valueFrom", "fieldRef") === undefined) return variable;
  return underlay(variable, { valueFrom: { fieldRef: { apiVersion: "v1" } } });
}

function withPortDefaults(port: JsonObject): JsonObject {
  return underlay(port, { protocol: "TCP" });
}

function withVolumeDefaults(volume: JsonObject): JsonObject {
  const sources = ["secret", "configMap", "projected", "downwardAPI"].filter((source) =>
    isJsonObject(volume[source]),
  );
  const modes = Object.fromEntries(sources.map((source) => [source, { defaultMode: 420 }]));
  return underlay(volume, isJsonObject(volume.hostPath) ? { ...modes, hostPath: { type: "" } } : modes);
}

/** Puts `defaults` under `value`: only what is absent is filled in, at every depth. Same object back when nothing is. */
function underlay(value: JsonObject, defaults: JsonObject): JsonObject {
  let filled = value;
  for (const [key, fallback] of Object.entries(defaults)) {
    const present: JsonValue | undefined = filled[key];
    if (present === undefined) filled = { ...filled, [key]: fallback };
    else if (isJsonObject(present) && isJsonObject(fallback)) {
      const child = underlay(present, fallback);
      if (child !== present) filled = { ...filled, [key]: child };
    }
  }
  return filled;
}
