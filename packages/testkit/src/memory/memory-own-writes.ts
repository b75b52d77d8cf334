import { Fault } from "@fleet-reloader/domain/fault";
import { applyEdit } from "@fleet-reloader/domain/strategy/apply-edit";
import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { Exactly, LiveWorkload, WorkloadPatch } from "@fleet-reloader/engine/ports/cluster-api";
import { arrayAt } from "../sim-api/objects/json.ts";
import type { MemoryStore } from "./memory-store.ts";

/** A conditional PATCH of ours; undefined when the workload is gone. Faults when it has another version. */
export function patchStored(
  store: MemoryStore,
  ref: WorkloadRef,
  patch: WorkloadPatch,
  admit: (template: unknown) => unknown = (template) => template,
): LiveWorkload | undefined {
  const before = store.workloadsByKey.get(workloadKey(ref));
  if (before === undefined) return undefined;
  if (before.resourceVersion !== patch.resourceVersion)
    throw new Fault("kube.conflict", "the object has been modified");
  const { template: edit, annotations, isPaused, fields } = patch;
  return store.putWorkload(ref, before, {
    annotations,
    ...(isPaused === undefined ? {} : { isPaused }),
    ...(edit === undefined ? {} : { template: admit(applyEdit(before.template, edit)) }),
    ...(fields === undefined ? {} : { fields }),
    by: "us",
  });
}

/** A DELETE of ours with preconditions. It only begins where a finalizer holds it up. Faults when a precondition does not hold. */
export function deleteStored(store: MemoryStore, ref: WorkloadRef, exactly: Exactly): void {
  const before = store.workloadsByKey.get(workloadKey(ref));
  if (before === undefined) return;
  const version = exactly.resourceVersion ?? before.resourceVersion;
  if (before.uid !== exactly.uid || before.resourceVersion !== version)
    throw new Fault("kube.conflict", "a precondition does not hold");
  if (arrayAt(before.object, "metadata", "finalizers").length > 0) startDeleting(store, ref);
  else store.removeWorkload(ref, "us");
}

/** The workload is being deleted; a finalizer holds that up. */
export function startDeleting(store: MemoryStore, ref: WorkloadRef): void {
  const before = store.workloadsByKey.get(workloadKey(ref));
  if (before !== undefined)
    store.storeWorkload({ ...before, resourceVersion: store.nextVersion(), isDeleting: true });
}
