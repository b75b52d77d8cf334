import { isJsonArray, isJsonObject, type JsonDraft, type JsonObject, type JsonValue } from "./json.ts";
import type { ResourceType } from "./resource-types.ts";

/** The fields of an object or of each item of a list; `undefined` for what is not looked into. */
interface Shape {
  readonly fields: ReadonlyMap<string, Shape | undefined>;
}

function shape(names: string, nested: Readonly<Record<string, Shape>> = {}): Shape {
  return { fields: new Map(names.split(" ").map((name) => [name, nested[name]])) };
}

const localKey = shape("name key optional");
const reference = shape("name optional");
const items = shape("key path mode");

const environmentVariable = shape("name value valueFrom", {
  valueFrom: shape("fieldRef resourceFieldRef configMapKeyRef secretKeyRef fileKeyRef", {
    configMapKeyRef: localKey,
    secretKeyRef: localKey,
  }),
});

const container = shape(
  "name image command args workingDir ports envFrom env resources resizePolicy restartPolicy restartPolicyRules volumeMounts volumeDevices livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty",
  {
    env: environmentVariable,
    envFrom: shape("prefix configMapRef secretRef", { configMapRef: reference, secretRef: reference }),
    ports: shape("name hostPort containerPort protocol hostIP"),
    volumeMounts: shape("name readOnly recursiveReadOnly mountPath subPath mountPropagation subPathExpr"),
  },
);

const secretVolume = shape("secretName items defaultMode optional", { items });
const configMapVolume = shape("name items defaultMode optional", { items });
const projection = shape("name items optional", { items });

const volume = shape(
  "name hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs persistentVolumeClaim rbd flexVolume cinder cephfs flocker downwardAPI fc azureFile configMap vsphereVolume quobyte azureDisk photonPersistentDisk projected portworxVolume scaleIO storageos csi ephemeral image",
  {
    secret: secretVolume,
    configMap: configMapVolume,
    projected: shape("sources defaultMode", {
      sources: shape("secret downwardAPI configMap serviceAccountToken clusterTrustBundle podCertificate", {
        secret: projection,
        configMap: projection,
      }),
    }),
  },
);

const podSpec = shape(
  "volumes initContainers containers ephemeralContainers restartPolicy terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName serviceAccount automountServiceAccountToken nodeName hostNetwork hostPID hostIPC shareProcessNamespace securityContext imagePullSecrets hostname subdomain affinity schedulerName tolerations hostAliases priorityClassName priority dnsConfig readinessGates runtimeClassName enableServiceLinks preemptionPolicy overhead topologySpreadConstraints setHostnameAsFQDN os hostUsers schedulingGates resourceClaims resources hostnameOverride schedulingGroup",
  { volumes: volume, initContainers: container, containers: container },
);

const metadata = shape(
  "name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds labels annotations ownerReferences finalizers managedFields",
);

const template = shape("metadata spec", { metadata, spec: podSpec });
const selector = shape("matchLabels matchExpressions");

const jobSpec = shape(
  "parallelism completions activeDeadlineSeconds podFailurePolicy successPolicy backoffLimit backoffLimitPerIndex maxFailedIndexes selector manualSelector template ttlSecondsAfterFinished completionMode suspend podReplacementPolicy managedBy",
  { selector, template },
);

function object(names: string, nested: Readonly<Record<string, Shape>> = {}): Shape {
  return shape(`apiVersion kind metadata ${names}`, { metadata, ...nested });
}

const shapes: ReadonlyMap<string, Shape> = new Map([
  ["Namespace", object("spec status", { spec: shape("finalizers") })],
  ["ConfigMap", object("immutable data binaryData")],
  ["Secret", object("immutable data stringData type")],
  ["ServiceAccount", object("secrets imagePullSecrets automountServiceAccountToken")],
  [
    "Event",
    object(
      "involvedObject reason message source firstTimestamp lastTimestamp count type eventTime series action related reportingComponent reportingInstance",
      { involvedObject: shape("kind namespace name uid apiVersion resourceVersion fieldPath") },
    ),
  ],
  ["Pod", object("spec status", { spec: podSpec })],
  [
    "Deployment",
    object("spec status", {
      spec: shape(
        "replicas selector template strategy minReadySeconds revisionHistoryLimit paused progressDeadlineSeconds",
        { selector, template },
      ),
    }),
  ],
  [
    "ReplicaSet",
    object("spec status", {
      spec: shape("replicas minReadySeconds selector template", { selector, template }),
    }),
  ],
  [
    "StatefulSet",
    object("spec status", {
      spec: shape(
        "replicas selector template volumeClaimTemplates serviceName podManagementPolicy updateStrategy revisionHistoryLimit minReadySeconds persistentVolumeClaimRetentionPolicy ordinals",
        { selector, template },
      ),
    }),
  ],
  [
    "DaemonSet",
    object("spec status", {
      spec: shape("selector template updateStrategy minReadySeconds revisionHistoryLimit", {
        selector,
        template,
      }),
    }),
  ],
  ["ControllerRevision", object("data revision")],
  ["Job", object("spec status", { spec: jobSpec })],
  [
    "CronJob",
    object("spec status", {
      spec: shape(
        "schedule timeZone startingDeadlineSeconds concurrencyPolicy suspend jobTemplate successfulJobsHistoryLimit failedJobsHistoryLimit",
        { jobTemplate: shape("metadata spec", { metadata, spec: jobSpec }) },
      ),
    }),
  ],
  ["Lease", object("spec")],
]);

/** The body without the fields that its kind does not have, and their paths. Custom resources keep everything. */
export function dropUnknownFields(
  type: ResourceType,
  body: JsonObject,
): { readonly known: JsonObject; readonly unknown: readonly string[] } {
  const known = type.isCustom ? undefined : shapes.get(type.kind);
  const unknown: string[] = [];
  return { known: known === undefined ? body : keep(known, body, "", unknown), unknown };
}

function keep(known: Shape, object: JsonObject, path: string, unknown: string[]): JsonObject {
  let draft: JsonDraft | undefined;
  for (const key in object) {
    const value = object[key];
    if (value === undefined) continue;
    const kept = keepValue(known, key, value, path, unknown);
    if (kept === value) continue;
    draft ??= { ...object };
    if (kept === undefined) delete draft[key];
    else draft[key] = kept;
  }
  return draft ?? object;
}

function keepValue(
  known: Shape,
  key: string,
  value: JsonValue,
  path: string,
  unknown: string[],
): JsonValue | undefined {
  const here = path === "" ? key : `${path}.${key}`;
  if (!known.fields.has(key)) {
    unknown.push(here);
    return undefined;
  }
  const inner = known.fields.get(key);
  if (inner === undefined) return value;
  if (isJsonObject(value)) return keep(inner, value, here, unknown);
  if (!isJsonArray(value)) return value;
  const kept = value.map((item, at) =>
    isJsonObject(item) ? keep(inner, item, `${here}[${at}]`, unknown) : item,
  );
  return kept.every((item, at) => item === value[at]) ? value : kept;
}
