import { Fault } from "@fleet-reloader/domain/fault";
import type { RollWrite } from "@fleet-reloader/domain/kind/roll-write";
import { carriesEdit } from "@fleet-reloader/domain/strategy/apply-edit";
import type { TemplateEdit } from "@fleet-reloader/domain/strategy/edit";
import type { ClusterApi, LiveWorkload, WorkloadPatch } from "./cluster-api.ts";
import { replaceJob } from "./job-replacement.ts";
import type { Again } from "./request.ts";

export interface RollTarget {
  readonly api: ClusterApi;
  readonly live: LiveWorkload;
  /** The change of annotations that leaves the new note. */
  readonly annotations: WorkloadPatch["annotations"];
  /** What else is written in the same patch as the note. */
  readonly also?: Pick<WorkloadPatch, "isPaused">;
  /** Of the write that rolls, and no other. */
  readonly permit?: Pick<WorkloadPatch, "mayStill">;
  readonly signal: AbortSignal;
}

/** What came of a write: the workload as it is now; later, since it takes its time; or there is none any more. */
export type Written =
  | { readonly type: "written"; readonly live: LiveWorkload }
  | { readonly type: "waiting"; readonly again: Again }
  | { readonly type: "gone" };

/** Writes a roll as its kind says. Every write holds only if what it was decided on still stands, or is harmless to repeat. */
export async function writeRoll(write: RollWrite, target: RollTarget): Promise<Written> {
  const { api, live, signal } = target;
  switch (write.type) {
    case "template": {
      const written = await patch(target, {
        ...{ template: write.edit, templateBefore: live.template },
        ...target.permit,
      });
      if (written.type === "written") verify(written.live, write.edit);
      return written;
    }
    case "fields":
      return await patch(target, { fields: write.fields, ...target.permit });
    case "referenced-template": {
      if (write.edit !== undefined) {
        const { owner, resourceVersion, edit } = write;
        const before = { annotations: {}, templateBefore: live.template };
        const change = { resourceVersion, template: edit, ...before, ...target.permit };
        const changed = await api.patchWorkload(owner, change, signal);
        if (changed === undefined)
          throw new Fault("kube.conflict", `the ${owner.kind} ${owner.name} it refers to is gone`);
        verify(changed, edit);
      }
      return await patch(target, {});
    }
    case "create":
      await api.createWorkload(write.made, signal, target.permit?.mayStill);
      return await patch({ ...target, annotations: { ...target.annotations, ...write.annotations } }, {});
    case "replace": {
      const replacement = await replaceJob(api, live, write.stash, { signal, ...target.permit });
      if (replacement.type === "made") return { type: "written", live: replacement.live };
      if (replacement.type === "waiting") return replacement;
      throw new Fault("kube.conflict", "the Job is still there although it was deleted");
    }
  }
}

async function patch(
  { api, live, annotations, also, signal }: RollTarget,
  change: Omit<WorkloadPatch, "resourceVersion" | "annotations">,
): Promise<Written> {
  const { resourceVersion } = live;
  const written = await api.patchWorkload(
    live.ref,
    { resourceVersion, annotations, ...also, ...change },
    signal,
  );
  return written === undefined ? { type: "gone" } : { type: "written", live: written };
}

function verify(written: LiveWorkload, edit: TemplateEdit): void {
  if (carriesEdit(written.template, edit)) return;
  throw new Fault(
    "engine.write-rewritten",
    "the pod template does not carry what was written: a webhook removed it",
  );
}
