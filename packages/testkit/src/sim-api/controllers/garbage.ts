import type { KubeObject } from "../objects/kube-object.ts";
import type { ResourceType } from "../objects/resource-types.ts";
import { ApiError } from "../status-errors.ts";
import type { Registry } from "../store/registry.ts";
import type { ObjectStore, StoredChange } from "../store/store.ts";
import type { WriteContext } from "../store/write-context.ts";
import { type Dependents, ownerUids } from "./dependents.ts";
import { WorkLoop } from "./work-loop.ts";

interface GarbageDeps {
  readonly store: ObjectStore;
  readonly registry: Registry;
  readonly dependents: Dependents;
  readonly types: readonly ResourceType[];
  readonly namespaceType: ResourceType;
}

const FOREGROUND = "foregroundDeletion";
const ORPHAN = "orphan";

/** Empties namespaces that are being deleted, and settles what becomes of an owner's dependents. */
export function startGarbageCollection(deps: GarbageDeps): { readonly stop: () => void } {
  const { store, dependents, namespaceType } = deps;
  const namespaces = new WorkLoop(({ name }) => emptyNamespace(deps, name));
  const goneOwners = new WorkLoop(({ name: uid }) => removeDependents(deps, uid));
  const waiting = new Map<ResourceType, WorkLoop>();
  const waitingOf = (type: ResourceType): WorkLoop => {
    const loop =
      waiting.get(type) ??
      new WorkLoop(({ namespace, name }) => settleOwner(deps, type, store.get(type, namespace, name)));
    waiting.set(type, loop);
    return loop;
  };
  const noteGone = (namespace: string, gone: KubeObject): void => {
    goneOwners.add({ namespace: "", name: gone.metadata.uid });
    // Its own end may be what an owner in foreground deletion waits for, or its namespace.
    for (const owner of gone.metadata.ownerReferences ?? []) {
      const ownerType = deps.types.find((candidate) => candidate.kind === owner.kind);
      if (ownerType !== undefined) waitingOf(ownerType).add({ namespace, name: String(owner.name) });
    }
    const home = store.get(namespaceType, "", namespace);
    if (home?.metadata.deletionTimestamp !== undefined) namespaces.add({ namespace: "", name: namespace });
  };
  const note = ({ type, namespace, name, before, after }: StoredChange): void => {
    if (after === undefined && before !== undefined) noteGone(namespace, before);
    if (after?.metadata.deletionTimestamp === undefined) return;
    const loop = type === namespaceType ? namespaces : waitingOf(type);
    loop.add({ namespace, name });
  };
  // After the index of dependents, which listens too and was there first.
  const stopListening = store.onChange(note);
  return {
    stop: () => {
      stopListening();
      for (const loop of [namespaces, goneOwners, ...waiting.values()]) loop.stop();
      dependents.stop();
    },
  };
}

function emptyNamespace(deps: GarbageDeps, name: string): void {
  const { store, registry, types } = deps;
  const namespaced = types.filter((type) => type.isNamespaced);
  for (const type of namespaced) for (const object of [...store.scan(type, name)]) remove(deps, type, object);
  // What waits for a finalizer keeps the namespace; its own end brings us back here.
  if (namespaced.every((type) => isNone(store.scan(type, name)))) {
    registry.finalizeNamespace(name, collector("delete"));
  }
}

/** The owner is gone: so is what had no other owner. */
function removeDependents(deps: GarbageDeps, uid: string): void {
  for (const { type, object } of deps.dependents.of(uid)) {
    if (ownerUids(object).length === 1) remove(deps, type, object);
  }
}

/** An owner that waits: for its dependents' end, or for them to be cut loose. */
function settleOwner(deps: GarbageDeps, type: ResourceType, owner: KubeObject | undefined): void {
  if (owner?.metadata.deletionTimestamp === undefined) return;
  const finalizers = owner.metadata.finalizers ?? [];
  const found = deps.dependents.of(owner.metadata.uid);
  if (finalizers.includes(ORPHAN)) {
    for (const dependent of found) {
      write(deps, dependent.type, dependent.object, (current) => withoutOwner(current, owner.metadata.uid));
    }
    write(deps, type, owner, (current) => withoutFinalizer(current, ORPHAN));
  } else if (finalizers.includes(FOREGROUND)) {
    for (const dependent of found) remove(deps, dependent.type, dependent.object);
    if (deps.dependents.of(owner.metadata.uid).length > 0) return;
    write(deps, type, owner, (current) => withoutFinalizer(current, FOREGROUND));
  }
}

function remove({ registry }: GarbageDeps, type: ResourceType, object: KubeObject): void {
  const { namespace = "", name } = object.metadata;
  unlessGone(() => registry.remove(type, namespace, name, {}, collector("delete")));
}

function write(
  { registry }: GarbageDeps,
  type: ResourceType,
  object: KubeObject,
  change: (current: KubeObject) => KubeObject,
): void {
  const { namespace = "", name } = object.metadata;
  unlessGone(() => registry.update(type, namespace, name, change, collector("patch")));
}

/** Somebody else was faster: just as good. */
function unlessGone(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ApiError && error.status.code === 404)) throw error;
  }
}

function collector(verb: WriteContext["verb"]): WriteContext {
  const user = "system:serviceaccount:kube-system:generic-garbage-collector";
  return { verb, user, manager: "kube-controller-manager", isDryRun: false };
}

function withoutOwner(object: KubeObject, uid: string): KubeObject {
  const ownerReferences = (object.metadata.ownerReferences ?? []).filter(
    (reference) => reference.uid !== uid,
  );
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function withoutFinalizer(object: KubeObject, finalizer: string): KubeObject {
  const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

function isNone(objects: Iterable<KubeObject>): boolean {
  for (const _object of objects) return false;
  return true;
}
