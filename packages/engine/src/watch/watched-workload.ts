import type { AnnotationProblem } from "@fleet-reloader/domain/annotation/problem";
import {
  appliedTexts,
  hasAppliedState,
  hasOwnAppliedState,
} from "@fleet-reloader/domain/applied/applied-annotation";
import { hasEarlier, templateOf } from "@fleet-reloader/domain/applied/applied-state";
import { templateReturn } from "@fleet-reloader/domain/applied/template-return";
import { jsonField, jsonList } from "@fleet-reloader/domain/json";
import { areAllUpdated } from "@fleet-reloader/domain/rollout-state/all-updated";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import { holdPeriod, isHoldLeft } from "@fleet-reloader/domain/workload/pause";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import { fingerprint } from "../observe/fingerprint.ts";
import { indexEntry, isInterested, readInterest } from "../observe/interest.ts";
import type { NameMatches } from "../observe/name-matches.ts";
import { eligibilityOf, servedKind } from "../observe/served.ts";
import type { LiveWorkload } from "../ports/cluster-api.ts";
import type { IndexEntry } from "../ports/reference-index.ts";
import type { Settings } from "../ports/settings.ts";

/** What one state of a workload requires of the watch. */
export interface WatchedWorkload {
  readonly workload: WorkloadRef;
  /** Undefined: the workload opts in to nothing. */
  readonly entry: IndexEntry | undefined;
  readonly sources: readonly SourceRef[];
  /** The writer of the applied state on the workload. A worker has to reconcile a workload whose applied state somebody else wrote. */
  readonly writer: "own" | "other" | "none";
  /**
   * Set while a pause by us or by the peer lasts: what the end of the pause depends on. A worker has to resume the workload then, even if
   * the process that paused it is gone. Undefined: there is no such pause.
   */
  readonly hold: string | undefined;
  /** Somebody else resumed it. A worker has to remove the annotation that claims the pause. */
  readonly isHoldLeft: boolean;
  /** Pods from before our applied state may have stayed. They have to be checked, because the rollout is over. */
  readonly mayHaveReturned: boolean;
  readonly isStash: boolean;
  /** Problems of a workload that opts in to nothing readable. A worker has to report them. */
  readonly unreadable: readonly AnnotationProblem[];
}

/** What the watch remembers of a workload: next to nothing, because there are many workloads. */
export interface KnownWorkload {
  readonly shape: number;
  /** `printWithoutStatus` of its last state. Undefined: its next state is always read. */
  readonly print: number | undefined;
  /** It opts in to nothing, and a worker still has to clean it up or to report it. */
  readonly isLeft: boolean;
}

export async function readWatchedWorkload(
  workload: LiveWorkload,
  settings: Settings,
  names: NameMatches,
): Promise<WatchedWorkload> {
  const interest = await readInterest(workload, settings, names);
  const eligibility = eligibilityOf(workload, settings);
  const { annotations, isPaused } = workload;
  const isOurs = eligibility !== "owned" && eligibility !== "stash";
  const isServed = isOurs && isInterested(interest);
  return {
    workload: workload.ref,
    entry: isServed ? indexEntry(workload, interest) : undefined,
    unreadable: isOurs && !isServed ? interest.optIn.problems : [],
    sources: interest.candidates,
    writer: writerOfState(workload),
    hold: holdPeriod(workload, settings.dialect),
    isHoldLeft: isHoldLeft({ kind: workload.ref.kind, annotations, isPaused }, settings.dialect),
    mayHaveReturned: isServed && mayHaveReturned(workload, servedKind(workload.ref.kind, settings)),
    isStash: eligibility === "stash",
  };
}

export function knownOf(watched: WatchedWorkload, print: number | undefined): KnownWorkload {
  const isLeft = watched.entry === undefined && needsAdoption(watched, false);
  return { shape: shapeOf(watched), print, isLeft };
}

/** Whether the index holds this state. A worker that records the applied state changes no entry: each adoption ends with such an event. */
export function isKnownAs(
  known: KnownWorkload | undefined,
  watched: WatchedWorkload,
  { shape }: KnownWorkload,
): boolean {
  if (known === undefined || known.shape === shape) return known !== undefined;
  const isRecorded = watched.writer === "own" && !needsAdoption(watched, false);
  return isRecorded && known.shape === shapeOf({ ...watched, writer: "none" });
}

/** A number of everything that the watch acts on. It is below 0 for a workload that opts in to nothing: the sign costs no memory. */
function shapeOf(watched: WatchedWorkload): number {
  const { entry, writer, hold, isHoldLeft: left, isStash, unreadable } = watched;
  const print = fingerprint(
    JSON.stringify([entry, writer, hold, left, isStash, unreadable, watched.mayHaveReturned]),
  );
  return entry === undefined ? -1 - print : print;
}

/**
 * A number of everything in a workload that the watch or a roll depends on: most status updates leave it as it is. The generation stands
 * for the spec. Undefined: it also depends on the object that has its template, or it has no generation.
 */
export function printWithoutStatus(workload: LiveWorkload, kind: WorkloadKind): number | undefined {
  const { annotations, generation, isPaused, object } = workload;
  if (kind.templateOwner !== undefined || generation === 0) return undefined;
  const isRolledOut = appliedTexts(annotations).some(hasEarlier) && areAllUpdated(object);
  const metadata = jsonField(object, "metadata");
  const managedFields = jsonList(metadata, "managedFields").map(withoutStatusFields);
  const withoutVersion = { ...Object(metadata), resourceVersion: undefined, managedFields };
  const eligibility = kind.eligibility?.(object);
  return fingerprint(JSON.stringify([generation, isPaused, eligibility, isRolledOut, withoutVersion]));
}

/** Annotations that a controller writes together with the status are kept. */
function withoutStatusFields(entry: unknown): unknown {
  if (jsonField(entry, "subresource") !== "status") return entry;
  return [jsonField(entry, "manager"), jsonField(entry, "fieldsV1", "f:metadata")];
}

/** Whether a shape is that of a workload that opts in to anything. */
export function isOptedIn(shape: number): boolean {
  return shape >= 0;
}

/** Whether a worker has to reconcile it now. `isDifferent`: its entry is new or differs from the one in the index. */
export function needsAdoption(watched: WatchedWorkload, isDifferent: boolean): boolean {
  if (watched.hold !== undefined || watched.isHoldLeft || watched.unreadable.length > 0) return true;
  if (watched.entry === undefined) return watched.writer !== "none";
  return watched.writer !== "own" || watched.mayHaveReturned || isDifferent;
}

/** Cheap for almost all workloads: only one that has been rolled, or changed in the middle of a rollout, has earlier contents. */
function mayHaveReturned({ annotations, object }: LiveWorkload, kind: WorkloadKind | undefined): boolean {
  const states = appliedTexts(annotations)
    .filter(hasEarlier)
    .flatMap((text) => templateOf(text) ?? []);
  if (kind === undefined || states.length === 0) return false;
  const returning = { object, templatePath: kind.templatePath, isRolledOut: areAllUpdated(object) };
  return states.some((template) => templateReturn(template, returning).mayHaveReturned);
}

export function writerOfState(workload: LiveWorkload): WatchedWorkload["writer"] {
  if (hasOwnAppliedState(workload)) return "own";
  return hasAppliedState(workload.annotations) ? "other" : "none";
}
