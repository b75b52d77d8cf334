import { asFault, Fault } from "@fleet-reloader/domain/fault";
import { hasEdit } from "@fleet-reloader/domain/strategy/apply-edit";
import type { TemplateEdit } from "@fleet-reloader/domain/strategy/edit";
import type { NewObject, RollWrite } from "@fleet-reloader/domain/strategy/roll-write";
import { annotationValue, type WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type {
  Admit,
  ClusterApi,
  LiveWorkload,
  PatchedWorkload,
  WorkloadPatch,
} from "../ports/cluster-api.ts";
import type { Again } from "../ports/request.ts";
import { beginReplacement, finishReplacement } from "./job-replacement.ts";

/** Permits the write that rolls, and no other write. */
export interface RollPermit {
  readonly admit: Admit;
  /** Refunds what was taken for the write. Call it when the write was certainly not made. */
  readonly withdraw: () => Promise<void>;
}

/** A workload about to be rolled. */
export interface RollTarget {
  readonly api: ClusterApi;
  readonly live: LiveWorkload;
  /** The change of annotations that writes the new applied state. */
  readonly annotations: WorkloadPatch["annotations"];
  /** The change that begins or ends a pause, in the same patch as the applied state. */
  readonly also?: Pick<WorkloadPatch, "annotations" | "isPaused">;
  /** Absent: it may be written without asking. */
  readonly permit?: RollPermit;
  readonly signal: AbortSignal;
}

/** The result of a write: the workload as it is now, a later attempt, or no workload any more. */
export type Written =
  | { readonly type: "written"; readonly live: PatchedWorkload }
  | { readonly type: "waiting"; readonly again: Again }
  | { readonly type: "gone" };

/** Writes a roll in the way of its kind. Every write is conditional on what it was decided on, or harmless to repeat. */
export async function writeRoll(write: RollWrite, target: RollTarget): Promise<Written> {
  switch (write.type) {
    case "template":
      return await writeTemplate(write.edit, target);
    case "fields": {
      const { fields } = write;
      if (fields === undefined) return noted(await patch(target, {}));
      return noted(await rolling(target, target.live, (admit) => patch(target, { fields, admit })));
    }
    case "referenced-template":
      await writeReferenced(write, target);
      return noted(await patch(target, {}));
    case "create": {
      const { made } = write;
      if (made !== undefined)
        await rolling(target, made, (admit) => target.api.createWorkload(made, target.signal, admit));
      const annotations = { ...target.annotations, ...write.annotations };
      return noted(await patch({ ...target, annotations }, {}));
    }
    case "replace":
      return await replaceJob(write.stash, target);
  }
}

async function writeTemplate(edit: TemplateEdit, target: RollTarget): Promise<Written> {
  const { live } = target;
  const change = { template: edit, templateBefore: live.template };
  const written = await rolling(target, live, (admit) => patch(target, { ...change, admit }));
  if (written === undefined || hasEdit(written.template, edit)) return noted(written);
  // The applied state was written with the edit. At the retry it would claim that the pods have the new content.
  await takeBack(target, written).catch(() => undefined);
  throw await rewritten(target, written);
}

/** Changes the template that a workload refers to, unless an earlier attempt has. */
async function writeReferenced(
  { owner, resourceVersion, annotations, edit }: RollWrite & { type: "referenced-template" },
  target: RollTarget,
): Promise<void> {
  if (edit === undefined) return;
  const change = { resourceVersion, annotations, template: edit, templateBefore: target.live.template };
  const changed = await rolling(target, { ref: owner, resourceVersion }, (admit) =>
    target.api.patchWorkload(owner, { ...change, admit }, target.signal),
  );
  if (changed === undefined)
    throw new Fault("kube.conflict", `the ${owner.kind} ${owner.name} it refers to is gone`);
  if (!hasEdit(changed.template, edit)) throw await rewritten(target, changed);
}

async function replaceJob(stash: NewObject, target: RollTarget): Promise<Written> {
  const { api, live, signal } = target;
  const stashed = await rolling(target, live, (admit) =>
    beginReplacement(api, live, stash, { signal, admit }),
  );
  const replacement = await finishReplacement(api, stashed, signal);
  if (replacement.type === "made") return { type: "written", live: replacement.live };
  if (replacement.type === "waiting") return replacement;
  throw new Fault("kube.conflict", "the Job is still there although it was deleted");
}

/** The object that a write acts on; without a version it does not exist yet. */
interface ActedOnObject {
  readonly ref: WorkloadRef;
  readonly resourceVersion?: string;
}

/**
 * Makes the write that rolls. Refunds what was taken for it when the write was certainly not made: it was not sent, there was nothing to
 * roll, or the API server refused it.
 */
async function rolling<T>(
  target: RollTarget,
  actedOn: ActedOnObject,
  write: (admit: Admit | undefined) => Promise<T>,
): Promise<T> {
  const { permit } = target;
  if (permit === undefined) return await write(undefined);
  let isSent = false;
  const admit: Admit = async () => {
    const verdict = await permit.admit();
    isSent = verdict === "go";
    return verdict;
  };
  const written = await write(admit).catch(async (error: unknown) => {
    if (!isSent || (await isRefused(asFault(error), actedOn, target))) await permit.withdraw();
    throw error;
  });
  if (written === undefined) await permit.withdraw();
  return written;
}

/**
 * Whether a write that was sent was certainly not made: the API server refused it, or failed and the object is unchanged. After a
 * time-out this is unknown, so nothing is refunded.
 */
async function isRefused(
  fault: Fault,
  actedOn: ActedOnObject,
  { api, signal }: RollTarget,
): Promise<boolean> {
  switch (fault.code) {
    case "kube.rejected":
    case "kube.unreachable":
    case "kube.replaced":
      return true;
    case "kube.server-error": {
      // Often a webhook is down. Its cluster must not use up a budget of the fleet meanwhile.
      const now = await api.readWorkload(actedOn.ref, signal).catch(() => "unknown" as const);
      return now !== "unknown" && now?.resourceVersion === actedOn.resourceVersion;
    }
    default:
      return fault.class === "conflict" || fault.class === "denied" || fault.class === "throttled";
  }
}

async function patch(
  { api, live, annotations, also, signal }: RollTarget,
  change: Omit<WorkloadPatch, "resourceVersion" | "annotations">,
): Promise<PatchedWorkload | undefined> {
  const { resourceVersion } = live;
  const all = { ...also, annotations: { ...annotations, ...also?.annotations } };
  return await api.patchWorkload(live.ref, { resourceVersion, ...all, ...change }, signal);
}

function noted(live: PatchedWorkload | undefined): Written {
  return live === undefined ? { type: "gone" } : { type: "written", live };
}

/** Restores the applied state from before the write, and ends the pause if the write began one. */
async function takeBack(target: RollTarget, { ref, resourceVersion }: PatchedWorkload): Promise<void> {
  const { api, live, also, signal } = target;
  // A pause that the write ended stays ended. Otherwise it would last as long as the webhook rewrites.
  const begun = also?.isPaused === true ? also : undefined;
  const changed = Object.keys({ ...target.annotations, ...begun?.annotations });
  const annotations = Object.fromEntries(
    changed.map((key) => [key, annotationValue(live.annotations, key) ?? null]),
  );
  const unpaused = begun === undefined ? {} : { isPaused: live.isPaused };
  await api.patchWorkload(ref, { resourceVersion, annotations, ...unpaused }, signal);
}

/** The fault to throw. When the template is unchanged no pod is recreated, so what was taken for the roll is refunded. */
async function rewritten({ live, permit }: RollTarget, { template }: PatchedWorkload): Promise<Fault> {
  const isUnchanged = JSON.stringify(template) === JSON.stringify(live.template);
  // If the refund fails, what was taken expires by itself.
  if (isUnchanged) await permit?.withdraw().catch(() => undefined);
  return new Fault(
    "engine.write-rewritten",
    "the pod template does not carry what was written: a webhook removed it",
  );
}
