import { type AppliedState, parseAppliedState } from "@fleet-reloader/domain/applied/applied-state";
import { type TrustedState, trustedState } from "@fleet-reloader/domain/applied/trusted-state";
import { isPodOf, type RunningPods, runningPods } from "@fleet-reloader/domain/evidence/pods-start";
import type { InterestHistory } from "@fleet-reloader/domain/evidence/start";
import { asFault } from "@fleet-reloader/domain/fault";
import { localName } from "@fleet-reloader/domain/plan/observed-source";
import { coversKeys } from "@fleet-reloader/domain/reference/object-use";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import { sourceKey } from "@fleet-reloader/domain/source/source";
import { annotationValue } from "@fleet-reloader/domain/workload/workload";
import { selectorOfPods } from "../../observe/template-owner.ts";
import { type LiveWorkload, podsMax } from "../../ports/cluster-api.ts";
import type { WorkloadRecord } from "../../ports/workload-records.ts";
import type { Reading } from "../reading.ts";

/** What is known of the content that the pods of a workload run with. */
export interface KnownPast extends TrustedState {
  /** Undefined: Redis was not asked, since the applied state on the workload is enough. */
  readonly record: WorkloadRecord | undefined;
  readonly appliedCount: number;
  /** When the applied state that counts was written, where Redis knows it. Undefined: no later than our last write to the workload. */
  readonly appliedAtSeconds: number | undefined;
}

/** The text that Redis keeps when no applied state counted. */
const noState = "";

/** The applied state that counts, which Redis has to hold before another one is written. Undefined: Redis holds it already. */
export function unkeptText(past: KnownPast, appliedText: string | undefined): string | undefined {
  if (past.isRemembered) return undefined;
  const counts = past.applied === undefined ? noState : (appliedText ?? noState);
  return past.record?.appliedText === counts ? undefined : counts;
}

/** Whether the applied state is enough without Redis: it is ours, is not an old one, and names every source that the workload asks for. */
export function isStateEnough(
  onWorkload: AppliedState | undefined,
  { delivery, interest, isOwn, live }: Reading,
): boolean {
  if (
    onWorkload === undefined ||
    !(isOwn || onWorkload.count === 0) ||
    delivery.isDoubtful ||
    delivery.purpose === "audit"
  )
    return false;
  if (onWorkload.uid !== undefined && onWorkload.uid !== live.uid) return false;
  return interest.candidates.every((source) => {
    const before = onWorkload.sources.get(localName(source));
    const keys = interest.references.get(sourceKey(source))?.keys ?? "all";
    return before !== undefined && (before.type === "absent" || coversKeys(before.keys, keys));
  });
}

export function knownPast(
  onWorkload: AppliedState | undefined,
  record: WorkloadRecord | undefined,
  { appliedText, delivery, isOwn, live, keys }: Reading & { readonly keys: Keyring },
): KnownPast {
  const text = record?.appliedText;
  // Almost always Redis remembers the one on the workload.
  const remembered =
    text === noState ? "none" : text === appliedText ? onWorkload : parseAppliedState(text, keys);
  const { isDoubtful } = delivery;
  const trusted = trustedState({ onWorkload, isOwn, remembered, uid: live.uid, isDoubtful });
  return {
    ...trusted,
    record,
    appliedAtSeconds: trusted.isRemembered ? record?.appliedAtSeconds : undefined,
    appliedCount: Math.max(onWorkload?.count ?? 0, remembered === "none" ? 0 : (remembered?.count ?? 0)),
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

/** When the pods of the workload started. Undefined where that is not known or may not be read. */
export async function readRunningPods(
  live: LiveWorkload,
  { cluster, delivery }: Pick<Reading, "cluster" | "delivery">,
): Promise<RunningPods | undefined> {
  const selector = selectorOfPods(live);
  if (selector === undefined) return undefined;
  try {
    const pods = await cluster.api.listPods(live.ref.namespace, selector, delivery.signal);
    const own = pods.filter((pod) => isPodOf(pod, { uid: live.uid, name: live.ref.name }));
    return pods.length < podsMax ? runningPods(own) : undefined;
  } catch (error) {
    const fault = asFault(error);
    if (fault.class === "denied") return undefined;
    throw fault;
  }
}
