import { type Annotations, type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload";
import type { LiveWorkload } from "@fleet-reloader/engine/cluster-api";

export interface StoredWorkload extends LiveWorkload {
  /** Like managedFields: who owns a part of the pod template, and when each last wrote anything. */
  readonly templateOwners: Readonly<Record<string, number>>;
}

/** A write by somebody: of the template, of annotations (null removes one), or of both. */
export interface WorkloadChange {
  readonly template?: unknown;
  readonly annotations?: Readonly<Record<string, string | null>>;
  readonly isPaused?: boolean;
  readonly by: "us" | "people";
}

/** What the API server makes of a write; the same object when nothing is different: that is not even stored. */
export function writtenWorkload(
  ref: WorkloadRef,
  before: StoredWorkload | undefined,
  change: WorkloadChange,
  server: { readonly nowSeconds: number; readonly nextVersion: () => string },
): StoredWorkload {
  const annotations = withoutNulls({ ...before?.annotations, ...change.annotations });
  const template = change.template ?? before?.template;
  const isTemplateChanged = !isSame(template, before?.template);
  const isPaused = change.isPaused ?? before?.isPaused ?? false;
  if (
    before !== undefined &&
    !isTemplateChanged &&
    isPaused === before.isPaused &&
    isSame(annotations, before.annotations)
  )
    return before;
  const owned = before?.templateOwners ?? {};
  const ownsTemplate = isTemplateChanged || Object.hasOwn(owned, change.by);
  const templateOwners = ownsTemplate ? { ...owned, [change.by]: server.nowSeconds } : owned;
  return {
    ref,
    uid: before?.uid ?? `uid-${workloadKey(ref)}-${server.nowSeconds}`,
    resourceVersion: server.nextVersion(),
    generation: (before?.generation ?? 0) + (isTemplateChanged ? 1 : 0),
    annotations,
    templateAnnotations: templateAnnotationsOf(template),
    template,
    createdAtSeconds: before?.createdAtSeconds ?? server.nowSeconds,
    templateChangedAtSeconds: Math.max(...Object.values(templateOwners)),
    isPaused,
    isDeleting: false,
    templateOwners,
  };
}

function withoutNulls(annotations: Readonly<Record<string, string | null>>): Annotations {
  const kept = Object.entries(annotations).filter((entry): entry is [string, string] => entry[1] !== null);
  return Object.fromEntries(kept);
}

function templateAnnotationsOf(template: unknown): Annotations {
  const { metadata } = Object(template);
  return { ...Object(metadata).annotations };
}

export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
