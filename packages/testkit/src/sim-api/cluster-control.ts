import { ADMIN } from "./auth/users.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringAt } from "./objects/json.ts";
import type { KubeObject } from "./objects/kube-object.ts";
import type { ResourceType } from "./objects/resource-types.ts";
import { patchFunction, patchTypes } from "./patch/patch-function.ts";
import { ApiError } from "./status-errors.ts";
import type { Registry } from "./store/registry.ts";
import type { ObjectStore } from "./store/store.ts";
import type { WriteContext } from "./store/write-context.ts";

/** As whom a test writes; both have a default. */
export interface WrittenBy {
  readonly user?: string;
  readonly manager?: string;
}

export type PatchForm = "strategic" | "merge" | "json";

/** The cluster's objects from inside the process, past HTTP and access rules; all else holds, the write log included. */
export interface ClusterControl {
  /**
   * Creates, or replaces everything but the status. Where the manifest has no labels or annotations
   * the object keeps its own. A namespace that is missing is made.
   */
  apply(manifest: object, by?: WrittenBy): KubeObject;
  patch(
    kind: string,
    namespace: string,
    name: string,
    patch: object,
    by?: WrittenBy & PatchOptions,
  ): KubeObject;
  get(kind: string, namespace: string, name: string): KubeObject | undefined;
  list(kind: string, namespace?: string): readonly KubeObject[];
  /** false: there was none. */
  remove(kind: string, namespace: string, name: string, by?: WrittenBy): boolean;
}

export interface PatchOptions {
  /** "strategic" when absent, "merge" for custom resources. */
  readonly form?: PatchForm;
  readonly subresource?: "status" | "scale";
}

export function createClusterControl(deps: {
  readonly registry: Registry;
  readonly store: ObjectStore;
  readonly typeOf: (kind: string) => ResourceType;
}): ClusterControl {
  const { registry, store, typeOf } = deps;

  function apply(manifest: object, by: WrittenBy = {}): KubeObject {
    const body = detached(manifest);
    if (!isJsonObject(body)) throw new Error("a manifest is an object");
    const type = typeOf(stringAt(body, "kind") ?? "");
    const name = stringAt(body, "metadata", "name") ?? "";
    const namespace = type.isNamespaced ? (stringAt(body, "metadata", "namespace") ?? "default") : "";
    if (store.get(type, namespace, name) === undefined) {
      const home = typeOf("Namespace");
      if (type.isNamespaced && store.get(home, "", namespace) === undefined) {
        registry.create(home, "", { metadata: { name: namespace } }, contextOf("create", by));
      }
      return registry.create(type, namespace, body, contextOf("create", by));
    }
    return registry.update(
      type,
      namespace,
      name,
      (current) => replaced(current, body),
      contextOf("update", by),
    );
  }

  return {
    apply,
    patch: (kind, namespace, name, patch, by = {}) => {
      const type = typeOf(kind);
      const form = by.form ?? (type.isCustom ? "merge" : "strategic");
      const change = patchFunction(type, patchTypes[form], detached(patch));
      const context = { ...contextOf("patch", by), subresource: by.subresource };
      return registry.update(type, namespace, name, change, context);
    },
    get: (kind, namespace, name) => store.get(typeOf(kind), namespace, name),
    list: (kind, namespace) => [...store.scan(typeOf(kind), namespace)],
    remove: (kind, namespace, name, by = {}) => {
      try {
        registry.remove(typeOf(kind), namespace, name, {}, contextOf("delete", by));
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.status.code === 404) return false;
        throw error;
      }
    },
  };
}

function contextOf(verb: WriteContext["verb"], by: WrittenBy): WriteContext {
  return { verb, user: by.user ?? ADMIN, manager: by.manager ?? "test", isDryRun: false };
}

/** A copy, so that a test may go on changing its own object. */
function detached(value: object): JsonValue {
  return parseJson(JSON.stringify(value));
}

function replaced(current: KubeObject, body: JsonObject): JsonObject {
  const { labels, annotations } = current.metadata;
  const meta = isJsonObject(body.metadata) ? body.metadata : {};
  return { ...body, metadata: { labels, annotations, ...meta } };
}
