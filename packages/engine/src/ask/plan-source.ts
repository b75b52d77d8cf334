import { namesSource } from "@fleet-reloader/domain/annotation/name-list";
import { likelyName } from "@fleet-reloader/domain/likely-name";
import { collectReferences } from "@fleet-reloader/domain/reference/collect";
import type { ReferencedKeys } from "@fleet-reloader/domain/reference/object-use";
import { type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import { type Annotations, workloadKey } from "@fleet-reloader/domain/workload/workload";
import { mapBounded } from "../async/map-bounded.ts";
import { type Interest, judgeFor, readInterest } from "../observe/interest.ts";
import type { EngagedCluster, LiveSource, LiveWorkload, WorkloadLists } from "../ports/cluster-api.ts";
import { changedSourceApi } from "./changed-source-api.ts";
import { contentReach } from "./content-reach.ts";
import { createExplain, type ExplainOptions } from "./explain.ts";
import type { PlannedUser, SourcePlan } from "./source-plan.ts";

/** A cluster as it is asked: also which workloads a namespace has. */
export interface AskedCluster extends EngagedCluster {
  readonly lists: WorkloadLists;
  /** The API server's time now; undefined before its first answer. */
  readonly serverSeconds: () => number | undefined;
}

/** A source, and the keys of it that change. */
export interface AskedSource {
  readonly source: SourceRef;
  readonly keys: ReferencedKeys;
}

/** Says what would follow from a change of a source in one cluster. Takes nothing and writes nothing. */
export type PlanSource = (
  asked: AskedSource,
  cluster: AskedCluster,
  signal: AbortSignal,
) => Promise<SourcePlan>;

/** A workload that uses or names the source, and what it is interested in. */
interface SourceUser {
  readonly live: LiveWorkload;
  readonly interest: Interest;
}

/** Half of the connections to a cluster. */
const usersAtOnceMax = 8;

export interface PlanSourceOptions extends ExplainOptions {
  /** How many workloads are asked about at once. Absent: half of the connections to a cluster. Fewer where rolls use them, too. */
  readonly usersAtOnce?: number | undefined;
}

/** Asks `explain` of each workload on the cluster as it would be after the change. */
export function createPlanSource(options: PlanSourceOptions): PlanSource {
  return async (asked, cluster, signal) => {
    const { source, keys } = asked;
    const live = await cluster.api.readSource(source, signal);
    const users = await usersOf(options, source, cluster, signal);
    const named = live === undefined ? await nearestSource(source, cluster, signal) : {};
    return {
      cluster: cluster.name,
      source,
      keys,
      time: new Date(options.clock.now()).toISOString(),
      state: stateOf(live),
      ...named,
      isRedisAsked: options.queue !== undefined,
      users: await plannedUsers(options, asked, { cluster, annotations: live?.annotations, users, signal }),
    };
  };
}

function stateOf(live: LiveSource | undefined): SourcePlan["state"] {
  if (live === undefined) return "missing";
  return live.content === undefined ? "unseen" : "present";
}

async function nearestSource(
  { kind, namespace, name }: SourceRef,
  { api }: AskedCluster,
  signal: AbortSignal,
): Promise<{ readonly nearest?: string }> {
  const nearest = likelyName(name, await api.listSourceNames(kind, namespace, signal).catch(() => []));
  return nearest === undefined ? {} : { nearest };
}

async function usersOf(
  { names, settings }: ExplainOptions,
  source: SourceRef,
  { lists }: AskedCluster,
  signal: AbortSignal,
): Promise<readonly SourceUser[]> {
  const users: SourceUser[] = [];
  for (const { kind } of settings.workloadKinds) {
    for (const live of await lists.listWorkloads(kind, source.namespace, signal)) {
      const interest = await readInterest(live, settings, names);
      if (!live.isDeleting && uses(interest, source)) users.push({ live, interest });
    }
  }
  return users.sort((a, b) => (workloadKey(a.live.ref) < workloadKey(b.live.ref) ? -1 : 1));
}

function uses({ optIn, template }: Interest, source: SourceRef): boolean {
  const key = sourceKey(source);
  const references = collectReferences(template, source.namespace);
  return (
    references.some((reference) => sourceKey(reference.source) === key) ||
    namesSource(optIn.kinds[source.kind].named, source.name)
  );
}

interface Planning {
  readonly cluster: AskedCluster;
  /** Of the source; undefined: it does not exist. */
  readonly annotations: Annotations | undefined;
  readonly users: readonly SourceUser[];
  readonly signal: AbortSignal;
}

async function plannedUsers(
  options: PlanSourceOptions,
  asked: AskedSource,
  { cluster, annotations, users, signal }: Planning,
): Promise<readonly PlannedUser[]> {
  const { source, keys } = asked;
  const atSeconds = cluster.serverSeconds() ?? Math.floor(options.clock.now() / 1000);
  const api = changedSourceApi(cluster.api, { source, keys, atSeconds });
  const { name, labels } = cluster;
  const changed: EngagedCluster = labels === undefined ? { name, api } : { name, api, labels };
  // A reader of its own: reads are shared, and these are of a state that does not exist.
  const explain = createExplain(options);
  const isSource = (one: { readonly source: SourceRef }) => sourceKey(one.source) === sourceKey(source);
  const { settings, usersAtOnce = usersAtOnceMax } = options;
  return await mapBounded(users, usersAtOnce, async ({ interest, live }): Promise<PlannedUser> => {
    const workload = live.ref;
    const { sources, verdict } = await explain({ cluster: api.cluster, workload }, changed, signal);
    return {
      workload,
      verdict,
      isCause: (verdict.type === "roll" || verdict.type === "held") && verdict.causes.some(isSource),
      reason: sources.find(isSource)?.reason ?? unlistedReason(source, interest, { settings, annotations }),
      reach: contentReach({ parsed: interest.template, raw: live.template }, source, keys),
    };
  });
}

/** Why the source counts or not where no explanation lists it: no template uses it, and an annotation that names it may not be the last word. */
function unlistedReason(
  source: SourceRef,
  interest: Interest,
  { settings, annotations }: Pick<ExplainOptions, "settings"> & Pick<Planning, "annotations">,
): PlannedUser["reason"] {
  if (!settings.sourceKinds.includes(source.kind)) return "SourceKindNotServed";
  const names = ({ optIn }: Interest) => namesSource(optIn.kinds[source.kind].named, source.name);
  const isNamedByOwner = interest.owner !== undefined && names(interest.owner);
  const reference = interest.references.get(sourceKey(source));
  const judged = { ref: source, annotations, reference, isNamed: names(interest), isNamedByOwner };
  return judgeFor(interest, judged).reason;
}
