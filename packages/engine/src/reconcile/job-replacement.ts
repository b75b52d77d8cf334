import { Fault } from "@fleet-reloader/domain/fault";
import { keptAnnotation, readStash } from "@fleet-reloader/domain/kind/job";
import type { NewObject } from "@fleet-reloader/domain/strategy/roll-write";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { Admit, ClusterApi, LiveWorkload } from "../ports/cluster-api.ts";
import type { Again } from "../ports/request.ts";

/** Where the replacement of a Job stands. */
export type Replacement =
  /** The new Job is there, and the stash is gone. */
  | { readonly type: "made"; readonly live: LiveWorkload }
  /** The old one is on its way out: somebody's finalizers hold it. The stash stays. */
  | { readonly type: "waiting"; readonly again: Again }
  /** The old one is there and nobody has deleted it: whether it is replaced has to be decided first. */
  | { readonly type: "undecided"; readonly old: WorkloadRef }
  /** Somebody changed the stash so that it cannot be read. It is left alone: it may be all that is left of a Job. */
  | { readonly type: "unreadable" };

/** How often a Job that is held by finalizers is looked at. */
const terminatingMs = 2000;

/**
 * Begins to replace a Job: stash, then delete exactly what was decided on. It is the deletion that rolls. A crash at any point is
 * taken up by `finishReplacement`, which the watch asks for as long as there is a stash. Resolves to the stash.
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

/** Takes a replacement from where it is to its end, if it can be, whatever was forbidden meanwhile. Repeats are harmless. */
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
 * Takes away a stash that was not needed after all: the old Job stays. The Job is changed first, so that a worker that has
 * decided to replace it and hangs in between is refused its deletion, and decides anew with another stash.
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
