import { createHash } from "node:crypto";
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  withPath,
} from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import { kubeTime } from "../objects/managed-fields.ts";
import type { ResourceType } from "../objects/resource-types.ts";
import type { Registry } from "../store/registry.ts";
import type { ObjectStore } from "../store/store.ts";
import type { WriteContext } from "../store/write-context.ts";
import type { Dependents } from "./dependents.ts";
import type { RolloutPace } from "./rollout-pace.ts";

/** What every workload controller works with. */
export interface ControllerDeps {
  readonly store: ObjectStore;
  readonly registry: Registry;
  readonly dependents: Dependents;
  readonly pace: RolloutPace;
}

/** The letters Kubernetes uses in generated names. */
const HASH_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
const HASH_LENGTH = 10;

/** One name per distinct template. Not the real hash function: nobody may depend on its value. */
export function templateHash(template: JsonValue | undefined): string {
  const digest = createHash("sha256").update(canonicalJson(template)).digest();
  return [...digest.subarray(0, HASH_LENGTH)]
    .map((byte) => HASH_LETTERS[byte % HASH_LETTERS.length])
    .join("");
}

export function controllerContext(verb: WriteContext["verb"], subresource?: "status"): WriteContext {
  return {
    verb,
    user: "system:kube-controller-manager",
    manager: "kube-controller-manager",
    isDryRun: false,
    subresource,
  };
}

/** The objects of this type that the owner controls; orphans that its selector fits are taken in, as the real controllers do. */
export function ownedBy(deps: ControllerDeps, type: ResourceType, owner: KubeObject): readonly KubeObject[] {
  const owned = deps.dependents.of(owner.metadata.uid, type).map(({ object }) => object);
  if (owned.length > 0) return owned;
  const { namespace = "" } = owner.metadata;
  const selector = Object.entries(objectAt(owner, "spec", "selector", "matchLabels") ?? {});
  const fits = ({ metadata }: KubeObject): boolean =>
    (metadata.ownerReferences ?? []).every((reference) => reference.controller !== true) &&
    selector.length > 0 &&
    selector.every(([key, value]) => metadata.labels?.[key] === value);
  return [...deps.store.scan(type, namespace)]
    .filter(fits)
    .map(({ metadata }) =>
      deps.registry.update(
        type,
        namespace,
        metadata.name,
        (current) => ownedObject(current, owner),
        controllerContext("patch"),
      ),
    );
}

function ownedObject(object: KubeObject, owner: KubeObject): JsonObject {
  const references = [...(object.metadata.ownerReferences ?? []), ownerReference(owner)];
  return withPath(object, ["metadata", "ownerReferences"], references);
}

export function ownerReference(owner: KubeObject): JsonObject {
  const { apiVersion, kind, metadata } = owner;
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Writes the status when it differs from what is there; the rest of the object as `status` paths allow. */
export function writeStatus(
  registry: Registry,
  type: ResourceType,
  object: KubeObject,
  status: JsonObject,
): KubeObject {
  const { namespace = "", name } = object.metadata;
  return registry.update(
    type,
    namespace,
    name,
    (current) => ({ ...current, status }),
    controllerContext("update", "status"),
  );
}

export function setAnnotations(object: KubeObject, annotations: JsonObject): JsonObject {
  return withPath(object, ["metadata", "annotations"], { ...object.metadata.annotations, ...annotations });
}

/** Keeps the transition time of a condition whose status did not turn. */
export function condition(
  object: KubeObject,
  type: string,
  status: string,
  reason: string,
  message: string,
): JsonObject {
  const old = conditionsOf(object).find((each) => each.type === type);
  const now = kubeTime(new Date());
  const isSame = old?.status === status && old.reason === reason && old.message === message;
  return {
    type,
    status,
    lastUpdateTime: isSame ? old.lastUpdateTime : now,
    lastTransitionTime: old?.status === status ? old.lastTransitionTime : now,
    reason,
    message,
  };
}

function conditionsOf(object: KubeObject): readonly JsonObject[] {
  const conditions = objectAt(object, "status")?.conditions;
  return Array.isArray(conditions) ? conditions.filter(isJsonObject) : [];
}
