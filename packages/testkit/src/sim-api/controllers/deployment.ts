import { equalJson, type JsonObject, numberAt, objectAt, withPath } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import type { ResourceType } from "../objects/resource-types.ts";
import {
  type ControllerDeps,
  condition,
  controllerContext,
  ownedBy,
  ownerReference,
  setAnnotations,
  templateHash,
  writeStatus,
} from "./controller-kit.ts";

const REVISION = "deployment.kubernetes.io/revision";
const DESIRED = "deployment.kubernetes.io/desired-replicas";
const MAX = "deployment.kubernetes.io/max-replicas";
const HASH_LABEL = "pod-template-hash";
/** Annotations of a Deployment that its ReplicaSets do not get. */
const notCopied = new Set(["kubectl.kubernetes.io/last-applied-configuration", REVISION, DESIRED, MAX]);

export interface SyncDeps extends ControllerDeps {
  readonly deploymentType: ResourceType;
  readonly replicaSetType: ResourceType;
}

/**
 * One step of a rollout: a ReplicaSet for the current template, its pods ready after a while, then the
 * old ReplicaSets at zero. No pods are made. Returns the time after which to look again.
 */
export function syncDeployment(deps: SyncDeps, deployment: KubeObject): number | undefined {
  const { deploymentType, replicaSetType, registry, pace } = deps;
  const isPaused = objectAt(deployment, "spec")?.paused === true;
  const owned = ownedBy(deps, replicaSetType, deployment);
  const found = owned.find((replicaSet) => equalJson(templateOf(replicaSet), templateOf(deployment)));
  if (found === undefined && isPaused) {
    writeStatus(registry, deploymentType, deployment, progress(deployment, undefined, "paused"));
    return undefined;
  }
  const current = withRevision(deps, found ?? createReplicaSet(deps, deployment), owned, deployment);
  const others = owned.filter((replicaSet) => replicaSet.metadata.uid !== current.metadata.uid);
  const { namespace = "", name } = deployment.metadata;
  const scaled = scale(deps, current, numberAt(deployment, "spec", "replicas") ?? 1);
  const wanted = numberAt(scaled, "spec", "replicas") ?? 1;
  const isReady = (numberAt(scaled, "status", "readyReplicas") ?? 0) >= wanted;
  const waitMs = isReady ? 0 : pace.remainingMs(scaled.metadata.uid);
  if (!isReady && (waitMs > 0 || pace.isStalled("Deployment", namespace, name))) {
    markStarted(deps, scaled, wanted);
    writeStatus(
      registry,
      deploymentType,
      deployment,
      progress(deployment, scaled, isPaused ? "paused" : "rolling", others),
    );
    return waitMs > 0 ? waitMs : undefined;
  }
  pace.done(scaled.metadata.uid);
  const ready = markReady(deps, scaled, wanted);
  for (const old of others) markReady(deps, scale(deps, old, 0), 0);
  writeStatus(
    registry,
    deploymentType,
    deployment,
    progress(deployment, ready, isPaused ? "paused" : "complete"),
  );
  return undefined;
}

/** The template without the label that the controller adds. */
function templateOf(owner: KubeObject): JsonObject {
  return withPath(objectAt(owner, "spec", "template") ?? {}, ["metadata", "labels", HASH_LABEL], undefined);
}

function createReplicaSet({ registry, replicaSetType }: SyncDeps, deployment: KubeObject): KubeObject {
  const hash = templateHash(templateOf(deployment));
  const { name, namespace = "" } = deployment.metadata;
  const labels = { ...objectAt(templateOf(deployment), "metadata", "labels"), [HASH_LABEL]: hash };
  const template = withPath(templateOf(deployment), ["metadata", "labels"], labels);
  const selector = objectAt(deployment, "spec", "selector") ?? {};
  const matchLabels = { ...objectAt(selector, "matchLabels"), [HASH_LABEL]: hash };
  const body: JsonObject = {
    metadata: {
      name: `${name}-${hash}`,
      labels,
      annotations: copiedAnnotations(deployment),
      ownerReferences: [ownerReference(deployment)],
    },
    spec: {
      replicas: numberAt(deployment, "spec", "replicas") ?? 1,
      selector: { ...selector, matchLabels },
      template,
    },
  };
  return registry.create(replicaSetType, namespace, body, controllerContext("create"));
}

/** The current ReplicaSet bears the highest revision, and the Deployment the same number. */
function withRevision(
  { registry, replicaSetType, deploymentType }: SyncDeps,
  current: KubeObject,
  owned: readonly KubeObject[],
  deployment: KubeObject,
): KubeObject {
  const others = owned.filter((replicaSet) => replicaSet.metadata.uid !== current.metadata.uid);
  const highest = Math.max(0, ...others.map(revisionOf));
  const revision = revisionOf(current) > highest ? revisionOf(current) : highest + 1;
  const { namespace = "", name } = deployment.metadata;
  const wanted = { ...copiedAnnotations(deployment), [REVISION]: String(revision) };
  const numbered = registry.update(
    replicaSetType,
    namespace,
    current.metadata.name,
    (replicaSet) => setAnnotations(replicaSet, wanted),
    controllerContext("update"),
  );
  if (deployment.metadata.annotations?.[REVISION] !== String(revision)) {
    registry.update(
      deploymentType,
      namespace,
      name,
      (latest) => setAnnotations(latest, { [REVISION]: String(revision) }),
      controllerContext("update", "status"),
    );
  }
  return numbered;
}

function revisionOf(replicaSet: KubeObject): number {
  return Number(replicaSet.metadata.annotations?.[REVISION] ?? 0);
}

function copiedAnnotations(deployment: KubeObject): JsonObject {
  const replicas = numberAt(deployment, "spec", "replicas") ?? 1;
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !notCopied.has(key));
  return {
    ...Object.fromEntries(copied),
    [DESIRED]: String(replicas),
    [MAX]: String(replicas + Math.ceil(replicas / 4)),
  };
}

function scale({ registry, replicaSetType }: SyncDeps, replicaSet: KubeObject, replicas: number): KubeObject {
  if (numberAt(replicaSet, "spec", "replicas") === replicas) return replicaSet;
  const { namespace = "", name } = replicaSet.metadata;
  const change = (current: KubeObject) => withPath(current, ["spec", "replicas"], replicas);
  return registry.update(replicaSetType, namespace, name, change, controllerContext("update"));
}

function markStarted(
  { registry, replicaSetType }: SyncDeps,
  replicaSet: KubeObject,
  replicas: number,
): KubeObject {
  const ready = Math.min(replicas, numberAt(replicaSet, "status", "readyReplicas") ?? 0);
  return writeStatus(registry, replicaSetType, replicaSet, replicaSetStatus(replicaSet, replicas, ready));
}

function markReady(
  { registry, replicaSetType }: SyncDeps,
  replicaSet: KubeObject,
  replicas: number,
): KubeObject {
  return writeStatus(registry, replicaSetType, replicaSet, replicaSetStatus(replicaSet, replicas, replicas));
}

function replicaSetStatus(replicaSet: KubeObject, replicas: number, ready: number): JsonObject {
  return {
    replicas,
    ...(replicas === 0 ? {} : { fullyLabeledReplicas: replicas }),
    ...(ready === 0 ? {} : { readyReplicas: ready, availableReplicas: ready }),
    terminatingReplicas: 0,
    observedGeneration: replicaSet.metadata.generation,
  };
}

type Phase = "paused" | "rolling" | "complete";

function progress(
  deployment: KubeObject,
  current: KubeObject | undefined,
  phase: Phase,
  others: readonly KubeObject[] = [],
): JsonObject {
  const wanted = numberAt(deployment, "spec", "replicas") ?? 1;
  const old = objectAt(deployment, "status") ?? {};
  // While new pods start, the old ones still serve.
  const updated = current === undefined ? 0 : (numberAt(current, "status", "replicas") ?? wanted);
  const serving = others.reduce(
    (sum, replicaSet) => sum + (numberAt(replicaSet, "status", "readyReplicas") ?? 0),
    0,
  );
  const ready =
    phase === "complete" ? wanted : phase === "rolling" ? serving : (numberAt(old, "readyReplicas") ?? 0);
  const replicas = phase === "complete" ? wanted : updated + serving;
  return {
    observedGeneration: deployment.metadata.generation,
    ...present("replicas", replicas),
    ...present("updatedReplicas", phase === "complete" ? wanted : updated),
    ...present("readyReplicas", ready),
    ...present("availableReplicas", ready),
    ...present("unavailableReplicas", Math.max(0, replicas - ready)),
    terminatingReplicas: 0,
    conditions: [availability(deployment, ready >= wanted), progressing(deployment, current, phase)],
  };
}

function present(key: string, count: number): JsonObject {
  return count === 0 ? {} : { [key]: count };
}

function availability(deployment: KubeObject, isAvailable: boolean): JsonObject {
  return isAvailable
    ? condition(
        deployment,
        "Available",
        "True",
        "MinimumReplicasAvailable",
        "Deployment has minimum availability.",
      )
    : condition(
        deployment,
        "Available",
        "False",
        "MinimumReplicasUnavailable",
        "Deployment does not have minimum availability.",
      );
}

function progressing(deployment: KubeObject, current: KubeObject | undefined, phase: Phase): JsonObject {
  const name = current?.metadata.name ?? "";
  switch (phase) {
    case "paused":
      return condition(deployment, "Progressing", "Unknown", "DeploymentPaused", "Deployment is paused");
    case "rolling":
      return condition(
        deployment,
        "Progressing",
        "True",
        "ReplicaSetUpdated",
        `ReplicaSet "${name}" is progressing.`,
      );
    case "complete":
      return condition(
        deployment,
        "Progressing",
        "True",
        "NewReplicaSetAvailable",
        `ReplicaSet "${name}" has successfully progressed.`,
      );
  }
}
