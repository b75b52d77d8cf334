import type { HoldReason } from "@fleet-reloader/domain/hold/reasons";
import type { ChangedSight } from "@fleet-reloader/domain/plan/plan";
import type { StayReason } from "@fleet-reloader/domain/plan/reasons";
import type { Sight } from "@fleet-reloader/domain/plan/sight";
import type { RolloutReason } from "@fleet-reloader/domain/rollout-state/reasons";
import { type SourceRef, type SourceWrite, sourceKey } from "@fleet-reloader/domain/source/source";
import type { ReloadStrategy } from "@fleet-reloader/domain/strategy/reload-strategy";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { ClusterId } from "../ports/request.ts";
import {
  type ActionRecord,
  type CausingSource,
  type ChangeId,
  type ChangeRecord,
  type DecisionRecord,
  type HistoryRecord,
  historyVersion,
  type OutcomeRecord,
} from "./history.ts";

/** Which workload of which cluster, and when. */
interface About {
  readonly cluster: ClusterId;
  readonly clusterName: string;
  readonly workload: WorkloadRef;
  readonly atMs: number;
}

/** The sources that made a workload roll, each with its reason and the change it is. */
export function causesOf(
  cluster: ClusterId,
  changed: readonly ChangedSight[],
  sights: readonly Sight[],
): readonly CausingSource[] {
  const writes = writesOf(sights);
  return changed.map(({ source, reason }) => ({
    ...nameOf(source),
    ...changeOf(cluster, source, writes),
    reason,
  }));
}

/** The changes behind a roll, the decision and the action. */
export function rollRecords(about: About, { strategy, sources, sights }: RollTold): readonly HistoryRecord[] {
  const { workload } = about;
  const reason = sources[0]?.reason ?? "SourceChanged";
  const decision: DecisionRecord = {
    ...entry(about),
    type: "decision",
    workload,
    verdict: "roll",
    reason,
    sources,
  };
  const action: ActionRecord = {
    ...entry(about),
    type: "action",
    workload,
    action: "rolled",
    strategy,
    sources,
  };
  return [...changeRecords(about, sources, sights), decision, action];
}

interface RollTold {
  readonly strategy: ReloadStrategy;
  readonly sources: readonly CausingSource[];
  readonly sights: readonly Sight[];
}

interface NoTold {
  readonly reason: StayReason;
  readonly sights: readonly Sight[];
  readonly templateChangedAtSeconds: number;
}

/** A write of a source is recent for this long: the longest a change waits for quiet, and time to notice it. */
const recentSeconds = 10 * 60;

/**
 * Why a change rolls nothing: one record for a workload whose sources were written lately, and none where nothing was. So a start, an
 * adoption or a comparison after a loss, which look at everything, tell nothing. Nor is a write told that the pod template is younger
 * than: the look that rolled for it may have been asked for by somebody else, and the message of the change itself comes after.
 */
export function noRecords(
  about: About,
  { reason, sights, templateChangedAtSeconds }: NoTold,
): readonly HistoryRecord[] {
  // Both times are the API server's, in whole seconds.
  const since = Math.max(about.atMs / 1000 - recentSeconds, templateChangedAtSeconds + 1);
  const writes = writesOf(sights);
  const sources = sights
    .filter(({ ref }) => (writes.get(sourceKey(ref))?.by?.atSeconds ?? 0) >= since)
    .map(({ ref }) => ({ ...nameOf(ref), ...changeOf(about.cluster, ref, writes) }));
  if (sources.length === 0) return [];
  const { workload } = about;
  const decision: DecisionRecord = {
    ...entry(about),
    type: "decision",
    workload,
    verdict: "no",
    reason,
    sources,
  };
  return [...changeRecords(about, sources, sights), decision];
}

/** The changes behind a roll that is held, and why it is. */
export function heldRecords(
  about: About,
  reason: HoldReason,
  { sources, sights }: Omit<RollTold, "strategy">,
): readonly HistoryRecord[] {
  const { workload } = about;
  const decision: DecisionRecord = {
    ...entry(about),
    ...{ type: "decision", workload, verdict: "held", reason, sources },
  };
  return [...changeRecords(about, sources, sights), decision];
}

/** A change could not be brought to the pods. */
export function failureRecord(about: About, fault: string): ActionRecord {
  return { ...entry(about), type: "action", workload: about.workload, action: "failed", fault, sources: [] };
}

/** Controllers' messages may be long; what matters is at the front. */
const messageLengthMax = 400;

/** How a rollout ended. */
export function outcomeRecord(
  ended: About & {
    readonly result: OutcomeRecord["result"];
    readonly reason: RolloutReason;
    readonly message: string;
    readonly seconds: number;
    readonly sources: readonly CausingSource[];
  },
): OutcomeRecord {
  const { workload, result, reason, message, seconds, sources } = ended;
  const said = message === "" ? {} : { message: message.slice(0, messageLengthMax) };
  return { ...entry(ended), type: "outcome", workload, result, reason, ...said, seconds, sources };
}

function changeRecords(
  about: About,
  sources: readonly CausingSource[],
  sights: readonly Sight[],
): readonly ChangeRecord[] {
  const writes = writesOf(sights);
  return sources.flatMap(({ change, ...source }) => {
    const write = writes.get(sourceKey(source));
    if (change === undefined || write === undefined) return [];
    const { by, resourceVersion } = write;
    const actor = by && { manager: by.manager, operation: by.operation, time: isoTime(by.atSeconds * 1000) };
    return [
      {
        ...{ ...entry(about), type: "change" as const, change, source: nameOf(source), resourceVersion },
        ...(actor === undefined ? {} : { actor }),
      },
    ];
  });
}

function changeOf(
  cluster: ClusterId,
  source: SourceRef,
  writes: ReadonlyMap<string, SourceWrite>,
): { readonly change?: ChangeId } {
  const version = writes.get(sourceKey(source))?.resourceVersion;
  return version === undefined ? {} : { change: `${cluster}/${sourceKey(source)}@${version}` };
}

/** By the key of the source; those that were not seen, or have no write to tell of, are missing. */
function writesOf(sights: readonly Sight[]): ReadonlyMap<string, SourceWrite> {
  return new Map(
    sights.flatMap(({ ref, live }) =>
      typeof live === "object" && live.write !== undefined ? [[sourceKey(ref), live.write] as const] : [],
    ),
  );
}

function nameOf({ kind, namespace, name }: SourceRef): SourceRef {
  return { kind, namespace, name };
}

function entry({ cluster, clusterName, atMs }: About) {
  return { v: historyVersion, time: isoTime(atMs), cluster: { id: cluster, name: clusterName } } as const;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
