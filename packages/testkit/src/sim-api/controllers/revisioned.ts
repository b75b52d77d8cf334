import { type JsonObject, numberAt, objectAt, stringAt } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import type { ResourceType } from "../objects/resource-types.ts";
import {
  type ControllerDeps,
  controllerContext,
  ownedBy,
  ownerReference,
  templateHash,
  writeStatus,
} from "./controller-kit.ts";

export interface RevisionedDeps extends ControllerDeps {
  readonly revisionType: ResourceType;
  /** The revision that a DaemonSet's pods run, by its uid: unlike a StatefulSet's, its status does not tell. */
  readonly runningRevisions: Map<string, string>;
}

interface Step {
  /** The pods that should be there are ready, be it in the old or in the new revision. */
  readonly isReady: boolean;
  /** The revision all pods run. */
  readonly running: string;
  /** Look again after this long. */
  readonly waitMs: number | undefined;
}

/** Nodes that simulated DaemonSets run on; there are no Node objects. */
const NODES = 2;

/** One step of a StatefulSet's rollout: a ControllerRevision per template, its pods ready after a while. */
export function syncStatefulSet(
  deps: RevisionedDeps,
  type: ResourceType,
  set: KubeObject,
): number | undefined {
  const replicas = numberAt(set, "spec", "replicas") ?? 1;
  const status = objectAt(set, "status") ?? {};
  const update = ensureRevision(deps, set);
  const before = stringAt(status, "currentRevision") ?? update;
  const { isReady, running, waitMs } = step(
    deps,
    set,
    before,
    update,
    (numberAt(status, "readyReplicas") ?? 0) === replicas,
  );
  const isUpdated = running === update;
  writeStatus(deps.registry, type, set, {
    observedGeneration: set.metadata.generation,
    replicas,
    ...(isReady ? { readyReplicas: replicas } : {}),
    availableReplicas: isReady ? replicas : 0,
    ...(isUpdated ? { currentReplicas: replicas, updatedReplicas: replicas } : {}),
    currentRevision: running,
    updateRevision: update,
    collisionCount: 0,
  });
  return waitMs;
}

/** The same for a DaemonSet. */
export function syncDaemonSet(deps: RevisionedDeps, type: ResourceType, set: KubeObject): number | undefined {
  const { uid } = set.metadata;
  const status = objectAt(set, "status") ?? {};
  const update = ensureRevision(deps, set);
  const before = deps.runningRevisions.get(uid) ?? update;
  const { isReady, running, waitMs } = step(
    deps,
    set,
    before,
    update,
    numberAt(status, "numberReady") === NODES,
  );
  deps.runningRevisions.set(uid, running);
  writeStatus(deps.registry, type, set, {
    currentNumberScheduled: NODES,
    desiredNumberScheduled: NODES,
    numberMisscheduled: 0,
    numberReady: isReady ? NODES : 0,
    ...(isReady ? { numberAvailable: NODES } : { numberUnavailable: NODES }),
    ...(running === update ? { updatedNumberScheduled: NODES } : {}),
    observedGeneration: set.metadata.generation,
  });
  return waitMs;
}

/**
 * Where a rollout from `before` to `update` stands. With `OnDelete` it never starts: nobody here deletes pods.
 */
function step(
  deps: RevisionedDeps,
  set: KubeObject,
  before: string,
  update: string,
  wasReady: boolean,
): Step {
  if (before === update && wasReady) return { isReady: true, running: update, waitMs: undefined };
  const isOnDelete = objectAt(set, "spec", "updateStrategy")?.type === "OnDelete";
  if (before !== update && isOnDelete) return { isReady: true, running: before, waitMs: undefined };
  const { kind, metadata } = set;
  const revision = `${metadata.uid}/${update}`;
  const waitMs = deps.pace.remainingMs(revision);
  if (waitMs > 0) return { isReady: false, running: before, waitMs };
  if (deps.pace.isStalled(kind, metadata.namespace ?? "", metadata.name)) {
    return { isReady: false, running: before, waitMs: undefined };
  }
  deps.pace.done(revision);
  return { isReady: true, running: update, waitMs: undefined };
}

/** The name of the ControllerRevision for the current template; made when it is the first time. */
function ensureRevision(deps: RevisionedDeps, set: KubeObject): string {
  const { registry, revisionType } = deps;
  const template = objectAt(set, "spec", "template") ?? {};
  const hash = templateHash(template);
  const name = `${set.metadata.name}-${hash}`;
  const owned = ownedBy(deps, revisionType, set);
  const highest = Math.max(0, ...owned.map((revision) => numberAt(revision, "revision") ?? 0));
  const found = owned.find((revision) => revision.metadata.name === name);
  const { namespace = "" } = set.metadata;
  const hashLabel = set.kind === "DaemonSet" ? "controller-revision-hash" : "controller.kubernetes.io/hash";
  if (found === undefined) {
    const body: JsonObject = {
      metadata: {
        name,
        labels: { ...objectAt(template, "metadata", "labels"), [hashLabel]: hash },
        ownerReferences: [ownerReference(set)],
      },
      data: { spec: { template: { ...template, $patch: "replace" } } },
      revision: highest + 1,
    };
    registry.create(revisionType, namespace, body, controllerContext("create"));
  } else if (numberAt(found, "revision") !== highest) {
    const change = (current: KubeObject) => ({ ...current, revision: highest + 1 });
    registry.update(revisionType, namespace, name, change, controllerContext("update"));
  }
  return name;
}
