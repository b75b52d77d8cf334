import type { SourceRef } from "@fleet-reloader/domain/source/source";
import { servedClusters } from "../overview/registered-clusters.ts";
import type { Request } from "../ports/request.ts";
import { type ActWords, actRecord, inActOrder } from "./act-parts.ts";
import type { ActedFleet, OpenBreaker } from "./acted-fleet.ts";
import { meantWorkloads, type ObjectPlace } from "./meant-workloads.ts";
import type { NamedObject } from "./named-object.ts";

/** The kinds of objects that each act accepts. */
export const actedTypes = {
  retry: ["workload"],
  replay: ["source"],
  release: ["workload", "source"],
} as const satisfies Readonly<Record<string, readonly NamedObject["type"][]>>;

/** An act on an object: check it again, check its users again, or close its breaker. */
export type ObjectAction = keyof typeof actedTypes;

/** The act that somebody wants to do. */
export interface WantedAct {
  readonly action: ObjectAction;
  readonly object: NamedObject;
  readonly place: ObjectPlace;
}

/** The objects that an act applies to now. */
export interface MeantAct extends WantedAct {
  /** The object and its place, for people. */
  readonly target: string;
  readonly requests: readonly Request[];
  /** The breakers that a release closes. */
  readonly breakers: readonly OpenBreaker[];
}

/** Finds what an act applies to; changes nothing. Faults when the cluster is not known. */
export async function meantByAct(
  { action, object, place }: WantedAct,
  { breakers: all, names, overview }: Pick<ActedFleet, "breakers" | "names" | "overview">,
): Promise<MeantAct> {
  const requests = inActOrder(await meantWorkloads(object, place, { names, overview }));
  const breakers =
    action === "release" ? await openBreakersOf(object, place, requests, { breakers: all, overview }) : [];
  return { action, object, place, target: targetText(object, place), requests, breakers };
}

/** Why an act would do nothing; undefined: it would do something. */
export function nothingMeant({ action, breakers, object, requests, target }: MeantAct): string | undefined {
  if (action === "release")
    return breakers.length > 0 ? undefined : `${object.kind}/${object.name}: no breaker of it is open`;
  return requests.length > 0 ? undefined : `${target}: no workload that is reloaded is meant`;
}

/** The result of an act, for people. */
export function doneText({ action, target }: Pick<MeantAct, "action" | "target">, count: number): string {
  return `${action} ${target}: ${count} workload${count === 1 ? "" : "s"} will be checked now`;
}

/** Asks the workers to check the workloads now, and records who did so and why. */
export async function performAct(
  { action, breakers, object, place, requests, target }: MeantAct,
  { by, part, reason }: ActWords,
  { breakers: all, clock, queue, record }: Pick<ActedFleet, "breakers" | "clock" | "queue" | "record">,
): Promise<void> {
  if (breakers.length > 0) await all.close(breakers);
  // Added like a change that is due at once: a waiting request is moved, and one on hold is asked about again.
  await queue.add(
    requests.map((request) => ({ request, quietPeriodMs: 0, maxWaitMs: 0, purpose: "change" as const })),
  );
  const { type, kind, name } = object;
  const about = type === "workload" ? { workload: { kind, name } } : { source: { kind, name } };
  const time = new Date(clock.now()).toISOString();
  const act = { time, action, target, place, about, count: requests.length };
  await record(actRecord(act, { by, part, reason }));
}

async function openBreakersOf(
  object: NamedObject,
  place: ObjectPlace,
  requests: readonly Request[],
  { breakers, overview }: Pick<ActedFleet, "breakers" | "overview">,
): Promise<readonly OpenBreaker[]> {
  if (object.type === "workload")
    return (await Promise.all(requests.map((request) => breakers.ofWorkload(request)))).flat();
  const { kind, name } = object;
  const clusters = (await servedClusters(overview, place.cluster)).flatMap(({ id }) => id ?? []);
  const namespaces = new Set(requests.map(({ workload }) => workload.namespace));
  const sources = [...namespaces].map((namespace): SourceRef => ({ kind, namespace, name }));
  const found = await Promise.all(sources.map((source) => breakers.ofSource(clusters, source)));
  return found.flat();
}

function targetText({ kind, name }: NamedObject, { cluster, namespace }: ObjectPlace): string {
  const words = [
    `${kind}/${name}`,
    ...(namespace === "" ? [] : [`in namespace ${namespace}`]),
    ...(cluster === "" ? [] : [`on ${cluster}`]),
  ];
  return words.join(" ");
}
