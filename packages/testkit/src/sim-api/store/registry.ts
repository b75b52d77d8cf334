import { randomUUID } from "node:crypto";
import type { WriteLog } from "../instruments/write-log.ts";
import { checkDecodable } from "../objects/decode.ts";
import { withDefaults } from "../objects/defaults.ts";
import { equalJson, type JsonObject, objectAt, stringAt, valueAt } from "../objects/json.ts";
import { dropUnknownFields } from "../objects/known-fields.ts";
import {
  type KubeObject,
  type ServerMeta,
  serverMetaOf,
  toKubeObject,
  withMeta,
} from "../objects/kube-object.ts";
import { type FieldWriter, kubeTime, updateManagedFields } from "../objects/managed-fields.ts";
import { normalise } from "../objects/normalise.ts";
import type { ResourceType } from "../objects/resource-types.ts";
import { problemsOf, required } from "../objects/validate.ts";
import { problemsOfChange } from "../objects/validate-update.ts";
import {
  alreadyExists,
  badRequest,
  forbidden,
  internalFailure,
  invalid,
  notFound,
} from "../status-errors.ts";
import { nameFrom, onCreate, onTemplateChange } from "./creation.ts";
import { clearsManagedFields, nextGeneration } from "./effect.ts";
import type { ObjectStore } from "./store.ts";
import {
  checkHeader,
  checkIdentity,
  checkPreconditions,
  strictDecoding,
  strictPatch,
} from "./write-checks.ts";
import type { DeleteOptions, WriteContext } from "./write-context.ts";

/** The managed fields that a write leads to; server-side apply brings its own rule. */
export type ManagedFieldsRule = (
  before: KubeObject | undefined,
  after: KubeObject,
  now: Date,
) => readonly JsonObject[] | undefined;

/**
 * The rules of writing: identity, optimistic concurrency, validation, generation, managed fields,
 * no-ops. Every method is one step without interruption, so that there are no races inside.
 */
export class Registry {
  readonly #store: ObjectStore;
  readonly #log: WriteLog;
  readonly #namespaceType: ResourceType;

  constructor(deps: {
    readonly store: ObjectStore;
    readonly log: WriteLog;
    readonly namespaceType: ResourceType;
  }) {
    this.#store = deps.store;
    this.#log = deps.log;
    this.#namespaceType = deps.namespaceType;
  }

  read(type: ResourceType, namespace: string, name: string): KubeObject {
    const object = this.#store.get(type, namespace, name);
    if (object === undefined) throw notFound(type, name);
    return object;
  }

  create(
    type: ResourceType,
    namespace: string,
    body: JsonObject,
    context: WriteContext,
    rule: ManagedFieldsRule = updateRule(type, context),
  ): KubeObject {
    checkHeader(type, body);
    checkDecodable(type, body);
    const name = nameFrom(body);
    if (name === undefined)
      throw invalid(type, "", [
        { ...required("metadata.name"), message: "Required value: name or generateName is required" },
      ]);
    if (stringAt(body, "metadata", "resourceVersion") !== undefined) {
      throw internalFailure("resourceVersion should not be set on objects to be created");
    }
    this.#checkNamespace(type, namespace, body, name);
    const now = new Date();
    const { known, unknown } = dropUnknownFields(type, body);
    if (context.isStrict === true && unknown.length > 0) throw strictDecoding(type, unknown);
    const prepared = onCreate(type, withDefaults(type, normalise(type, known)), name);
    const object = toKubeObject(type, prepared, {
      name,
      namespace: type.isNamespaced ? namespace : undefined,
      uid: randomUUID(),
      resourceVersion: "",
      creationTimestamp: kubeTime(now),
      generation: type.generation === "none" ? undefined : 1,
      deletionTimestamp: undefined,
      managedFields: undefined,
    });
    const problems = problemsOf(type, object);
    if (problems.length > 0) throw invalid(type, name, problems);
    if (this.#store.get(type, namespace, name) !== undefined) throw alreadyExists(type, name);
    return this.#put(
      type,
      undefined,
      withMeta(object, { managedFields: rule(undefined, object, now) }),
      context,
    );
  }

  /** `change` derives the wanted object from the current one; it may throw. */
  update(
    type: ResourceType,
    namespace: string,
    name: string,
    change: (current: KubeObject) => JsonObject,
    context: WriteContext,
    rule: ManagedFieldsRule = updateRule(type, context),
  ): KubeObject {
    const current = this.read(type, namespace, name);
    const wanted = change(current);
    checkIdentity(type, current, wanted);
    checkDecodable(type, wanted);
    const { known, unknown } = dropUnknownFields(type, wanted);
    if (context.isStrict === true && unknown.length > 0) {
      throw context.verb === "update" ? strictDecoding(type, unknown) : strictPatch(unknown);
    }
    const now = new Date();
    const next = this.#merge(type, current, normalise(type, known), context);
    const problems = [...problemsOf(type, next), ...problemsOfChange(type, current, next)];
    if (problems.length > 0) throw invalid(type, name, problems);
    const isStatus = context.subresource === "status";
    const generation = isStatus ? current.metadata.generation : nextGeneration(type, current, next);
    const managedFields = clearsManagedFields(wanted) ? undefined : rule(current, next, now);
    const complete = withMeta(next, { generation, managedFields });
    if (equalJson(current, complete)) {
      if (!context.isDryRun) this.#record(type, context, current, current);
      return current;
    }
    return this.#put(type, current, complete, context);
  }

  /** Gone at once, or marked and waiting for its finalizers. */
  remove(
    type: ResourceType,
    namespace: string,
    name: string,
    options: DeleteOptions,
    context: WriteContext,
  ): { readonly object: KubeObject; readonly isGone: boolean } {
    const current = this.read(type, namespace, name);
    checkPreconditions(type, current, options);
    const finalizers = withPolicy(current.metadata.finalizers ?? [], options.propagationPolicy);
    const isHeld = finalizers.length > 0 || type === this.#namespaceType;
    if (context.isDryRun) return { object: current, isGone: !isHeld };
    if (!isHeld) return { object: this.#drop(type, current, context), isGone: true };
    if (current.metadata.deletionTimestamp !== undefined) return { object: current, isGone: false };
    const marked = withMeta(current, {
      deletionTimestamp: kubeTime(new Date()),
      deletionGracePeriodSeconds: 0,
      finalizers: finalizers.length === 0 ? undefined : finalizers,
      generation: current.metadata.generation === undefined ? undefined : current.metadata.generation + 1,
    });
    const next = type === this.#namespaceType ? { ...marked, status: { phase: "Terminating" } } : marked;
    return { object: this.#put(type, current, next, context), isGone: false };
  }

  /** Takes a namespace out for good; its content has to be gone. */
  finalizeNamespace(name: string, context: WriteContext): void {
    const current = this.#store.get(this.#namespaceType, "", name);
    if (current !== undefined) this.#drop(this.#namespaceType, current, context);
  }

  #drop(type: ResourceType, current: KubeObject, context: WriteContext): KubeObject {
    const { namespace = "", name } = current.metadata;
    const last = withMeta(current, { resourceVersion: String(this.#store.nextVersion()) });
    this.#store.commit(type, namespace, name, undefined);
    this.#record(type, context, current, last);
    return last;
  }

  #put(
    type: ResourceType,
    before: KubeObject | undefined,
    after: KubeObject,
    context: WriteContext,
  ): KubeObject {
    // A dry run of a creation has no version; the HTTP side leaves the empty one out.
    if (context.isDryRun) return withMeta(after, { resourceVersion: before?.metadata.resourceVersion ?? "" });
    const { namespace = "", name } = after.metadata;
    const isReleased =
      after.metadata.deletionTimestamp !== undefined && (after.metadata.finalizers ?? []).length === 0;
    if (before !== undefined && isReleased && type !== this.#namespaceType)
      return this.#drop(type, before, context);
    const stored = withMeta(after, { resourceVersion: String(this.#store.nextVersion()) });
    this.#store.commit(type, namespace, name, stored);
    this.#record(type, context, before, stored);
    return stored;
  }

  #record(
    type: ResourceType,
    context: WriteContext,
    before: KubeObject | undefined,
    after: KubeObject,
  ): void {
    const isRemoval = context.verb === "delete";
    const templateChanged =
      type.templatePath !== undefined &&
      before !== undefined &&
      !isRemoval &&
      !equalJson(valueAt(before, ...type.templatePath), valueAt(after, ...type.templatePath));
    this.#log.add(type, {
      verb: context.verb,
      subresource: context.subresource,
      namespace: after.metadata.namespace ?? "",
      name: after.metadata.name,
      user: context.user,
      fieldManager: context.manager,
      resourceVersion: after.metadata.resourceVersion,
      changed: before !== after,
      templateChanged,
    });
  }

  /** What of the wanted object this path may write, over what must stay. */
  #merge(type: ResourceType, current: KubeObject, wanted: JsonObject, context: WriteContext): KubeObject {
    const server: ServerMeta = serverMetaOf(current);
    if (context.subresource === "status") {
      // Annotations can be written here, labels and spec cannot; the real server has it so.
      const metadata = { ...objectAt(wanted, "metadata"), labels: current.metadata.labels };
      return toKubeObject(type, { ...current, metadata, status: wanted.status }, server);
    }
    const filled = onTemplateChange(type, current, withDefaults(type, wanted));
    return toKubeObject(type, type.hasStatus ? { ...filled, status: current.status } : filled, server);
  }

  #checkNamespace(type: ResourceType, namespace: string, body: JsonObject, name: string): void {
    if (!type.isNamespaced) return;
    const given = stringAt(body, "metadata", "namespace");
    if (given !== undefined && given !== "" && given !== namespace) {
      throw badRequest(
        "the namespace of the provided object does not match the namespace sent on the request",
      );
    }
    const found = this.#store.get(this.#namespaceType, "", namespace);
    if (found === undefined) throw notFound(this.#namespaceType, namespace);
    if (found.metadata.deletionTimestamp !== undefined) {
      throw forbidden(
        type,
        name,
        `unable to create new content in namespace ${namespace} because it is being terminated`,
      );
    }
  }
}

/** What the garbage collector has to do first is written down as a finalizer. */
function withPolicy(finalizers: readonly string[], policy: string | undefined): readonly string[] {
  const added = policy === "Foreground" ? "foregroundDeletion" : policy === "Orphan" ? "orphan" : undefined;
  return added === undefined || finalizers.includes(added) ? finalizers : [...finalizers, added];
}

function updateRule(type: ResourceType, context: WriteContext): ManagedFieldsRule {
  const writer: FieldWriter = {
    manager: context.manager,
    operation: "Update",
    subresource: context.subresource,
  };
  return (before, after, now) => updateManagedFields(type, before, after, writer, now);
}
