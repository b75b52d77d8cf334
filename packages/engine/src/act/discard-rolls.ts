import type { RegisteredCluster } from "@fleet-reloader/domain/hold/freeze-coverage";
import { type ActionRecord, historyVersion } from "../history/history.ts";
import { foldChanges } from "../overview/changes/change-folds.ts";
import type { FoldedWorkload } from "../overview/changes/change-summary.ts";
import { chosenClusters } from "../overview/registered-clusters.ts";
import type { Request } from "../ports/request.ts";
import { type ActWords, actRecord, inActOrder } from "./act-parts.ts";
import type { ActedFleet } from "./acted-fleet.ts";
import type { ObjectPlace } from "./meant-workloads.ts";
import type { NamedObject } from "./named-object.ts";

/** The failed rolls that somebody wants to discard. */
export interface WantedDiscard {
  /** Undefined: of any workload. */
  readonly object: Extract<NamedObject, { readonly type: "workload" }> | undefined;
  readonly place: ObjectPlace;
  /** Why they failed, for example ProgressDeadlineExceeded; empty means any cause. */
  readonly cause: string;
  /** They failed since this time or age; an empty text means in the last hour. */
  readonly since: string;
}

/** A workload whose last roll failed or stalled, and that has no waiting request. */
export interface FailedRoll extends Request {
  /** The name of its cluster. */
  readonly clusterName: string;
  /** The sources that it was rolled for. */
  readonly sources: ActionRecord["sources"];
}

/** The rolls that a discard applies to now. */
export interface MeantDiscard {
  readonly wanted: WantedDiscard;
  /** For people. */
  readonly target: string;
  /** In the order in which they are discarded. */
  readonly rolls: readonly FailedRoll[];
}

/**
 * Finds the failed rolls to discard; changes nothing. A roll whose workload has a waiting request is not given up, so it is left out.
 * Faults when the cluster is not known.
 */
export async function meantByDiscard(
  wanted: WantedDiscard,
  fleet: Pick<ActedFleet, "history" | "overview" | "queue">,
): Promise<MeantDiscard> {
  const { cluster: named } = wanted.place;
  const registered = (await fleet.overview.clusters()) ?? [];
  const failed = foldChanges(await fleet.history(wanted.since))
    .unsuccessful()
    .filter((one) => isDiscarded(one, wanted) && isOfCluster(one, named, registered));
  // The history may name a cluster that is no longer registered.
  if (failed.length === 0) await chosenClusters(fleet.overview, named);
  const rolls = failed.map(({ cluster: clusterName, clusterId: cluster, sources, workload }): FailedRoll => {
    return { cluster, clusterName, workload, sources };
  });
  const waits = await Promise.all(rolls.map((roll) => fleet.queue.waits(roll)));
  return {
    wanted,
    target: discardText(wanted),
    rolls: inActOrder(rolls.filter((_, at) => waits[at] === false)),
  };
}

/** Whether a roll was in the named cluster. A cluster has its present name; one that is no longer registered, its last name. */
function isOfCluster(
  { cluster, clusterId }: Pick<FoldedWorkload, "cluster" | "clusterId">,
  named: string,
  registered: readonly RegisteredCluster[],
): boolean {
  const known = registered.filter(({ id }) => id === clusterId);
  const names = known.length === 0 ? [cluster] : known.map(({ name }) => name);
  return named === "" || named === clusterId || names.includes(named);
}

/** Why a discard would do nothing; undefined: it would do something. */
export function nothingDiscarded({ rolls, target }: MeantDiscard): string | undefined {
  return rolls.length > 0 ? undefined : `${target}: none is given up`;
}

/** The result of a discard, for people. */
export function discardedText({ target }: Pick<MeantDiscard, "target">, count: number): string {
  return `${target}: ${count} ${count === 1 ? "is" : "are"} discarded; nothing is rolled for ${count === 1 ? "it" : "them"} until a source changes, or an audit finds a difference`;
}

/**
 * Removes rolls from the failed ones, without a roll. The history then says for each who did so and why. The next change of a source, and
 * the audit of its workload, reconcile the workload as before. Faults when some records cannot be written: some rolls may be discarded
 * then.
 */
export async function performDiscard(
  { target, wanted }: MeantDiscard,
  rolls: readonly FailedRoll[],
  { by, part, reason }: ActWords,
  { clock, record, recordDiscards }: Pick<ActedFleet, "clock" | "record" | "recordDiscards">,
): Promise<void> {
  const time = new Date(clock.now()).toISOString();
  await recordDiscards(
    rolls.map(
      ({ cluster, clusterName, sources, workload }): ActionRecord => ({
        v: historyVersion,
        time,
        cluster: { id: cluster, name: clusterName },
        type: "action",
        workload,
        action: "discarded",
        sources,
        by,
        why: reason,
      }),
    ),
  );
  const { object, place } = wanted;
  const about = object === undefined ? {} : { workload: { kind: object.kind, name: object.name } };
  const act = { time, action: "discard", target, place, about, count: rolls.length };
  await record(actRecord(act, { by, part, reason }));
}

function isDiscarded({ reason, workload }: FoldedWorkload, { cause, object, place }: WantedDiscard): boolean {
  return (
    (place.namespace === "" || place.namespace === workload.namespace) &&
    (cause === "" || cause === reason) &&
    (object === undefined || (object.kind === workload.kind && object.name === workload.name))
  );
}

function discardText({ cause, object, place: { cluster, namespace } }: WantedDiscard): string {
  const words = [
    "failed rolls",
    ...(object === undefined ? [] : [`of ${object.kind}/${object.name}`]),
    ...(namespace === "" ? [] : [`in namespace ${namespace}`]),
    ...(cluster === "" ? [] : [`on ${cluster}`]),
    ...(cause === "" ? [] : [`by ${cause}`]),
  ];
  return words.join(" ");
}
