import { type AppliedState, parseAppliedState } from "@fleet-reloader/domain/applied/applied-state";
import { type TrustedNote, trustedNote } from "@fleet-reloader/domain/applied/trusted-note";
import { isPodOf, type PodsStart, podsStart } from "@fleet-reloader/domain/evidence/pods-start";
import type { InterestHistory } from "@fleet-reloader/domain/evidence/start";
import { asFault } from "@fleet-reloader/domain/fault";
import { localName } from "@fleet-reloader/domain/plan/observed-source";
import { coversKeys } from "@fleet-reloader/domain/reference/object-use";
import { podSelectorOf } from "@fleet-reloader/domain/rollout-state/pod-selector";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import { sourceKey } from "@fleet-reloader/domain/source/source";
import { annotationValue } from "@fleet-reloader/domain/workload/workload";
import { type LiveWorkload, podsMax } from "../ports/cluster-api.ts";
import type { WorkloadRecord } from "../ports/workload-records.ts";
import type { Reading } from "./reading.ts";

/** What is known of the content that the pods of a workload run with. */
export interface KnownPast extends TrustedNote {
  /** Undefined: Redis was not asked, since the note alone tells. */
  readonly record: WorkloadRecord | undefined;
  readonly noteCount: number;
  /** When the note that counts was written, where Redis knows it. Undefined: no later than our last write to the workload. */
  readonly notedAtSeconds: number | undefined;
}

/** What Redis keeps where no note counted. */
const noNote = "";

/** The note that counts, which Redis has to hold before another one is written. Undefined: Redis holds it already. */
export function unkeptNote(past: KnownPast, note: string | undefined): string | undefined {
  if (past.isRemembered) return undefined;
  const counts = past.applied === undefined ? noNote : (note ?? noNote);
  return past.record?.note === counts ? undefined : counts;
}

/** Whether the note is enough without Redis: it is ours, is not an old one, and names all that the workload asks for now. */
export function isNoteEnough(
  noted: AppliedState | undefined,
  { delivery, interest, isOwn, live }: Reading,
): boolean {
  if (
    noted === undefined ||
    !(isOwn || noted.count === 0) ||
    delivery.isDoubtful ||
    delivery.purpose === "audit"
  )
    return false;
  if (noted.uid !== undefined && noted.uid !== live.uid) return false;
  return interest.candidates.every((source) => {
    const before = noted.sources.get(localName(source));
    const keys = interest.references.get(sourceKey(source))?.keys ?? "all";
    return before !== undefined && (before.type === "absent" || coversKeys(before.keys, keys));
  });
}

export function knownPast(
  noted: AppliedState | undefined,
  record: WorkloadRecord | undefined,
  { delivery, isOwn, live, keys }: Reading & { readonly keys: Keyring },
): KnownPast {
  const remembered = record?.note === noNote ? "none" : parseAppliedState(record?.note, keys);
  const { isDoubtful } = delivery;
  const trusted = trustedNote({ noted, isOwn, remembered, uid: live.uid, isDoubtful });
  return {
    ...trusted,
    record,
    notedAtSeconds: trusted.isRemembered ? record?.notedAtSeconds : undefined,
    noteCount: Math.max(noted?.count ?? 0, remembered === "none" ? 0 : (remembered?.count ?? 0)),
  };
}

/** What is known of the time at which the workload's interest began. */
export function historyOf({ live, kind, interest }: Reading, past: KnownPast): InterestHistory {
  const { record, applied } = past;
  const { dialect } = interest.optIn;
  const keys = [dialect.auto, dialect.search, ...Object.values(dialect.kinds).flatMap(keysOf)];
  const { createdAtSeconds, object } = live;
  const seen = record?.seen?.uid === live.uid ? record.seen : undefined;
  return {
    seen,
    servedSinceSeconds: record?.served?.sinceSeconds ?? applied?.served?.sinceSeconds ?? 0,
    isRestored: record?.served?.isRestored ?? false,
    optInAnnotations: keys.filter((key) => annotationValue(live.annotations, key) !== undefined),
    templatePath: kind.templatePath,
    createdAtSeconds,
    object,
  };
}

function keysOf({ named, auto }: { readonly named: string; readonly auto: string }): readonly string[] {
  return [named, auto];
}

/** When the first pod of the workload started. Undefined where that is not known or may not be read. */
export async function readPodsStart(
  live: LiveWorkload,
  { cluster, delivery }: Pick<Reading, "cluster" | "delivery">,
): Promise<PodsStart | undefined> {
  const selector = podSelectorOf(live.object);
  if (selector === undefined) return undefined;
  try {
    const pods = await cluster.api.listPods(live.ref.namespace, selector, delivery.signal);
    const own = pods.filter((pod) => isPodOf(pod, { uid: live.uid, name: live.ref.name }));
    return pods.length < podsMax ? podsStart(own) : undefined;
  } catch (error) {
    const fault = asFault(error);
    if (fault.class === "denied") return undefined;
    throw fault;
  }
}
