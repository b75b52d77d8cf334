import { Fault } from "@fleet-reloader/domain/fault";
import { keptAnnotation, readStash } from "@fleet-reloader/domain/kind/job";
import type { NewObject } from "@fleet-reloader/domain/strategy/roll-write";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { ClusterApi, IsAllowedStill, LiveWorkload } from "../ports/cluster-api.ts";
import type { Again } from "../ports/request.ts";

/** How far the replacement of a Job has come. */
export type Replacement =
  /** The new Job exists, and the stash is deleted. */
  | { readonly type: "made"; readonly live: LiveWorkload }
  /** The old Job is being deleted, and finalizers hold it. The stash stays. */
  | { readonly type: "waiting"; readonly again: Again }
  /** The old Job exists and nobody has deleted it. Whether it is replaced is decided first. */
  | { readonly type: "undecided"; readonly old: WorkloadRef }
  /** Somebody changed the stash so that it cannot be read. It is left alone: it may be the only copy of a Job. */
  | { readonly type: "unreadable" };

/** The interval at which a Job that finalizers hold is read again. */
const terminatingMs = 2000;

/**
 * Begins to replace a Job: stores the stash, then deletes exactly the Job that was decided on. The deletion is the roll. After a crash
 * at any point `finishReplacement` continues: the watch asks for it as long as there is a stash. Resolves to the stash.
 */
export async function beginReplacement(
  api: ClusterApi,
  live: LiveWorkload,
  stash: NewObject,
  { signal, isAllowedStill }: { readonly signal: AbortSignal; readonly isAllowedStill?: IsAllowedStill },
): Promise<LiveWorkload> {
  const stashed = await api.createWorkload(stash, signal);
  const { uid, resourceVersion } = live;
  await api.deleteExactly(live.ref, { uid, resourceVersion }, signal, isAllowedStill);
  return stashed;
}

/** Continues a replacement to its end where that is possible, whatever was frozen meanwhile. Repeats are harmless. */
export async function finishReplacement(
  api: ClusterApi,
  stash: LiveWorkload,
  signal: AbortSignal,
): Promise<Replacement> {
  const stashed = readStash(stash);
  if (stashed === undefined) return { type: "unreadable" };
  const current = await api.readWorkload(stashed.replaced, signal);
  if (current?.uid === stashed.replacedUid) {
    if (!current.isDeleting) return { type: "undecided", old: stashed.replaced };
    return { type: "waiting", again: { type: "again", afterMs: terminatingMs, reason: "JobTerminating" } };
  }
  const live = current ?? (await api.createWorkload(stashed.made, signal));
  await api.deleteExactly(stash.ref, { uid: stash.uid }, signal);
  return { type: "made", live };
}

/**
 * Deletes a stash that was not needed: the old Job stays. The Job is changed first. A worker that has decided to replace it and hangs
 * is then refused its deletion, and decides again with another stash.
 */
export async function dropStash(
  api: ClusterApi,
  stash: LiveWorkload,
  old: WorkloadRef,
  signal: AbortSignal,
): Promise<void> {
  const current = await api.readWorkload(old, signal);
  const patch = {
    resourceVersion: current?.resourceVersion ?? "",
    annotations: { [keptAnnotation]: stash.uid },
  };
  const isKept =
    current !== undefined &&
    !current.isDeleting &&
    current.uid === readStash(stash)?.replacedUid &&
    (await api.patchWorkload(old, patch, signal)) !== undefined;
  if (!isKept) throw new Fault("kube.conflict", "the Job was deleted while its stash was being dropped");
  await api.deleteExactly(stash.ref, { uid: stash.uid }, signal);
}
