import type { HoldReason } from "@fleet-reloader/domain/hold/reasons";
import type { LiveContent, ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import type { ChangedObservation } from "@fleet-reloader/domain/plan/plan";
import type { StayReason } from "@fleet-reloader/domain/plan/reasons";
import type { RolloutReason } from "@fleet-reloader/domain/rollout-state/reasons";
import { type SourceRef, type SourceWrite, sourceKey } from "@fleet-reloader/domain/source/source";
import type { ReloadStrategy } from "@fleet-reloader/domain/strategy/reload-strategy";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { ClusterId } from "../ports/request.ts";
import type { FailedFact } from "./fact.ts";
import type { FleetChanges } from "./fleet-changes.ts";
import {
  type ActionRecord,
  type CausingSource,
  type ChangeId,
  type ChangeRecord,
  type DecisionRecord,
  type HistoryRecord,
  historyVersion,
  type OutcomeRecord,
  workloadGone,
} from "./history.ts";

/** The workload, the cluster and the time of a record. */
interface RecordHead {
  readonly cluster: ClusterId;
  readonly clusterName: string;
  readonly workload: WorkloadRef;
  readonly atMs: number;
}

/** The same for records of changes. */
interface ChangeHead extends RecordHead {
  /** Undefined: changes have no fleet-wide id. */
  readonly fleetChanges: FleetChanges | undefined;
}

/** The sources that made a workload roll, each with its reason and its change. */
export function causesOf(
  cluster: ClusterId,
  changed: readonly ChangedObservation[],
  observedSources: readonly ObservedSource[],
): readonly CausingSource[] {
  const writes = writesOf(observedSources);
  return changed.map(({ source, reason }) => ({
    ...recordNameOf(source),
    ...changeOf(cluster, source, writes),
    reason,
  }));
}

/** Records of a roll: its changes, the decision and the action. */
export function rollRecords(
  reportHead: ChangeHead,
  { strategy, sources, observedSources }: RecordedRoll,
): readonly HistoryRecord[] {
  const { workload } = reportHead;
  const reason = sources[0]?.reason ?? "SourceChanged";
  const head = historyEntry(reportHead);
  const decision: DecisionRecord = { ...head, type: "decision", workload, verdict: "roll", reason, sources };
  const action: ActionRecord = { ...head, type: "action", workload, action: "rolled", strategy, sources };
  return [...changeRecords(reportHead, sources, observedSources), decision, action];
}

interface RecordedRoll {
  readonly strategy: ReloadStrategy;
  readonly sources: readonly CausingSource[];
  readonly observedSources: readonly ObservedSource[];
}

interface RecordedStay {
  readonly reason: StayReason;
  readonly observedSources: readonly ObservedSource[];
  readonly templateChangedAtSeconds: number;
}

/** How long a write of a source is recent: the longest wait of a change for quiet, and the time to notice it. */
const recentSeconds = 10 * 60;

/**
 * Records why a change rolls nothing: one record for a workload whose sources were written recently, and none otherwise. A start, an
 * adoption or a comparison after a loss observes everything, and records nothing here. A write that is older than the pod template is not
 * recorded either: another request may have rolled for it before the message of the change came.
 */
export function noRecords(
  reportHead: ChangeHead,
  { reason, observedSources, templateChangedAtSeconds }: RecordedStay,
): readonly HistoryRecord[] {
  // Both times are the API server's, in whole seconds.
  const since = Math.max(reportHead.atMs / 1000 - recentSeconds, templateChangedAtSeconds + 1);
  const writes = writesOf(observedSources);
  const sources = observedSources
    .filter(({ ref }) => (writes.get(sourceKey(ref))?.by?.atSeconds ?? 0) >= since)
    .map(({ ref }) => ({ ...recordNameOf(ref), ...changeOf(reportHead.cluster, ref, writes) }));
  if (sources.length === 0) return [];
  const { workload } = reportHead;
  const head = historyEntry(reportHead);
  const decision: DecisionRecord = { ...head, type: "decision", workload, verdict: "no", reason, sources };
  return [...changeRecords(reportHead, sources, observedSources), decision];
}

/** The record of a deleted workload: its holds, rolls and failures lead to no roll any more. */
export function goneRecord(head: RecordHead, sources: readonly CausingSource[]): DecisionRecord {
  const { workload } = head;
  const no = { type: "decision", workload, verdict: "no", reason: workloadGone, sources } as const;
  return { ...historyEntry(head), ...no };
}

/** Records of a roll that is held: its changes, and the reason of the hold. */
export function heldRecords(
  reportHead: ChangeHead,
  reason: HoldReason,
  { sources, observedSources }: Omit<RecordedRoll, "strategy">,
): readonly HistoryRecord[] {
  const { workload } = reportHead;
  const decision: DecisionRecord = {
    ...historyEntry(reportHead),
    type: "decision",
    workload,
    verdict: "held",
    reason,
    sources,
  };
  return [...changeRecords(reportHead, sources, observedSources), decision];
}

/** Records of a request that failed: the changes that were due, and the failure. */
export function failureRecords(
  reportHead: ChangeHead,
  fault: string,
  { changed, observedSources }: NonNullable<FailedFact["roll"]> = { changed: [], observedSources: [] },
): readonly HistoryRecord[] {
  const { cluster, workload } = reportHead;
  const sources = causesOf(cluster, changed, observedSources);
  const action: ActionRecord = {
    ...historyEntry(reportHead),
    type: "action",
    workload,
    action: "failed",
    fault,
    sources,
  };
  return [...changeRecords(reportHead, sources, observedSources), action];
}

/** Messages of controllers may be long; they begin with the important part. */
const recordMessageMax = 400;

/** The record of the end of a rollout. */
export function outcomeRecord(
  ended: RecordHead & {
    readonly result: OutcomeRecord["result"];
    readonly reason: RolloutReason;
    readonly message: string;
    readonly seconds: number;
    readonly sources: readonly CausingSource[];
  },
): OutcomeRecord {
  const { workload, result, reason, message, seconds, sources } = ended;
  const said = message === "" ? {} : { message: message.slice(0, recordMessageMax) };
  return { ...historyEntry(ended), type: "outcome", workload, result, reason, ...said, seconds, sources };
}

function changeRecords(
  reportHead: ChangeHead,
  sources: readonly CausingSource[],
  observedSources: readonly ObservedSource[],
): readonly ChangeRecord[] {
  const lives = livesOf(observedSources);
  return sources.flatMap(({ change, ...source }) => {
    const live = lives.get(sourceKey(source));
    if (change === undefined || live?.write === undefined) return [];
    const { by, resourceVersion } = live.write;
    const fleetChange = reportHead.fleetChanges?.idOf(change, source, live.content);
    const actor = by && { manager: by.manager, operation: by.operation, time: isoTime(by.atSeconds * 1000) };
    const record: ChangeRecord = {
      ...historyEntry(reportHead),
      type: "change",
      change,
      ...(fleetChange === undefined ? {} : { fleetChange }),
      source: recordNameOf(source),
      resourceVersion,
    };
    return [actor === undefined ? record : { ...record, actor }];
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

/** The last writes by source key. Sources that were not seen, or whose write is not known, are missing. */
function writesOf(observedSources: readonly ObservedSource[]): ReadonlyMap<string, SourceWrite> {
  return new Map(
    [...livesOf(observedSources)].flatMap(([key, { write }]) =>
      write === undefined ? [] : [[key, write] as const],
    ),
  );
}

function livesOf(observedSources: readonly ObservedSource[]): ReadonlyMap<string, LiveContent> {
  return new Map(
    observedSources.flatMap(({ ref, live }) =>
      typeof live === "object" ? [[sourceKey(ref), live] as const] : [],
    ),
  );
}

function recordNameOf({ kind, namespace, name }: SourceRef): SourceRef {
  return { kind, namespace, name };
}

function historyEntry({ cluster, clusterName, atMs }: RecordHead) {
  return { v: historyVersion, time: isoTime(atMs), cluster: { id: cluster, name: clusterName } } as const;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
