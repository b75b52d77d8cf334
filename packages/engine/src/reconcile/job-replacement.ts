import { Fault } from "@fleet-reloader/domain/fault";
import { keptAnnotation, readStash } from "@fleet-reloader/domain/kind/job";
import type { NewObject } from "@fleet-reloader/domain/strategy/roll-write";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { Admit, ClusterApi, LiveWorkload } from "../ports/cluster-api.ts";
import type { Again } from "../ports/request.ts";

/** The state of the replacement of a Job. */
export type Replacement =
  /** The new Job exists, and the stash is deleted. */
  | { readonly type: "made"; readonly live: LiveWorkload }
  /** The old Job is being deleted: finalizers hold it. The stash stays. */
  | { readonly type: "waiting"; readonly again: Again }
  /** The old Job exists and was not deleted: whether it is replaced has to be decided first. */
  | { readonly type: "undecided"; readonly old: WorkloadRef }
  /** Somebody changed the stash so that it cannot be read. It stays: it may be all that is left of a Job. */
  | { readonly type: "unreadable" };

/** How often a Job that finalizers hold is read. */
const terminatingMs = 2000;

/**
 * Begins to replace a Job: stores its successor in a stash, then deletes exactly the Job that was decided on. The deletion is the roll.
 * After a crash `finishReplacement` goes on; the watch asks for it as long as the stash exists. Resolves to the stash.
 */
export async function beginReplacement(
  api: ClusterApi,
  live: LiveWorkload,
  stash: NewObject,
  { signal, admit }: { readonly signal: AbortSignal; readonly admit: Admit | undefined },
): Promise<LiveWorkload> {
  const stashed = await api.createWorkload(stash, signal);
  const { uid, resourceVersion } = live;
  await api.deleteExactly(live.ref, { uid, resourceVersion }, signal, admit);
  return stashed;
}

/** Completes a replacement if that is possible, also while a freeze is in force. Repeats are harmless. */
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
 * Deletes a stash that is not needed, because the old Job stays. It changes the Job first: a slow worker that has decided to replace the
 * Job is then refused the deletion, and decides again with another stash.
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
  if (!isKept)
    throw new Fault("kube.conflict", "the Job was deleted while its stored spec was being removed");
  await api.deleteExactly(stash.ref, { uid: stash.uid }, signal);
}
