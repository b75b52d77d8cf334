import { collectReferences } from "@fleet-reloader/domain/reference/collect";
import type { ReferencedKeys } from "@fleet-reloader/domain/reference/object-use";
import { type SourceContent, type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import { likelyName } from "@fleet-reloader/domain/spelling/likely-name";
import { type Annotations, workloadKey } from "@fleet-reloader/domain/workload/workload";
import { mapBounded } from "../async/map-bounded.ts";
import { type Interest, judgeFor, readInterest } from "../observe/interest.ts";
import type { NameMatches } from "../observe/name-matches.ts";
import type { EngagedCluster, LiveSource, LiveWorkload, WorkloadLists } from "../ports/cluster-api.ts";
import { changedSourceApi } from "./changed-source-api.ts";
import { contentReach } from "./content-reach.ts";
import { createExplain, type ExplainOptions } from "./explain.ts";
import type { PlannedUser, SourcePlan } from "./source-plan.ts";

/** A cluster to ask, which can also list the workloads of a namespace. */
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

/** Explains what would follow from a change of a source in one cluster. Counts and writes nothing. */
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
  /** How many workloads are explained at the same time. Absent: half of the connections to a cluster. Set fewer if rolls use them, too. */
  readonly usersAtOnce?: number | undefined;
}

/** Explains each workload on the cluster as it would be after the change. */
export function createPlanSource(options: PlanSourceOptions): PlanSource {
  const { names, settings } = options;
  return async (asked, cluster, signal) => {
    const { source, keys } = asked;
    const live = await cluster.api.readSource(source, signal);
    const users = await usersOf({ names, settings }, source, cluster, signal);
    const named = live === undefined ? await nearestSource(source, cluster, signal) : {};
    return {
      cluster: cluster.name,
      source,
      keys,
      time: new Date(options.clock.now()).toISOString(),
      state: stateOf(live),
      ...named,
      ...absentKeys(live?.content, keys),
      isRedisAsked: options.queue !== undefined,
      users: await plannedUsers(options, asked, { cluster, annotations: live?.annotations, users, signal }),
    };
  };
}

function stateOf(live: LiveSource | undefined): SourcePlan["state"] {
  if (live === undefined) return "missing";
  return live.content === undefined ? "unseen" : "present";
}

/** What nobody shows has no keys that are known. */
function absentKeys(
  content: SourceContent | undefined,
  keys: ReferencedKeys,
): Pick<SourcePlan, "absentKeys"> {
  if (content === undefined || keys === "all") return {};
  const known = [...content.data.keys(), ...content.binaryData.keys()];
  const absent = keys.filter((key) => !known.includes(key));
  if (absent.length === 0) return {};
  return {
    absentKeys: absent.map((name) => {
      const nearest = likelyName(name, known);
      return nearest === undefined ? { name } : { name, nearest };
    }),
  };
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
  { names, settings }: Pick<ExplainOptions, "names" | "settings">,
  source: SourceRef,
  { lists }: AskedCluster,
  signal: AbortSignal,
): Promise<readonly SourceUser[]> {
  const users: SourceUser[] = [];
  for (const { kind } of settings.workloadKinds) {
    for (const live of await lists.listWorkloads(kind, source.namespace, signal)) {
      const interest = await readInterest(live, settings, names);
      if (!live.isDeleting && (await uses(interest, source, names))) users.push({ live, interest });
    }
  }
  return users.sort((a, b) => (workloadKey(a.live.ref) < workloadKey(b.live.ref) ? -1 : 1));
}

async function uses(interest: Interest, source: SourceRef, names: NameMatches): Promise<boolean> {
  const key = sourceKey(source);
  const references = collectReferences(interest.template, source.namespace);
  return (
    references.some((reference) => sourceKey(reference.source) === key) ||
    (await isNamedBy(interest, source, names))
  );
}

/** Whether an annotation names the source, even if another excludes it. */
async function isNamedBy(
  { optIn }: Interest,
  { kind, name }: SourceRef,
  names: NameMatches,
): Promise<boolean> {
  const { exact, patterns } = optIn.kinds[kind].named;
  const items = patterns.map(({ text }) => text);
  return exact.includes(name) || (await names.isMatched(items, name));
}

interface Planning {
  readonly cluster: AskedCluster;
  /** The annotations of the source; undefined: it does not exist. */
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
  // It needs a reader of its own: reads are shared, and these show a state that does not exist.
  const explain = createExplain(options);
  const isSource = (one: { readonly source: SourceRef }) => sourceKey(one.source) === sourceKey(source);
  const { names, settings, usersAtOnce = usersAtOnceMax } = options;
  return await mapBounded(users, usersAtOnce, async ({ interest, live }): Promise<PlannedUser> => {
    const workload = live.ref;
    const unlisted = () => unlistedReason(source, interest, { settings, names, annotations });
    const { sources, verdict } = await explain({ cluster: api.cluster, workload }, changed, signal);
    return {
      workload,
      verdict,
      isCause: (verdict.type === "roll" || verdict.type === "held") && verdict.causes.some(isSource),
      reason: sources.find(isSource)?.reason ?? (await unlisted()),
      reach: contentReach({ parsed: interest.template, raw: live.template }, source, keys),
    };
  });
}

/** The reason for a source that no explanation lists: no template uses it, and an annotation that names it may be overruled. */
async function unlistedReason(
  source: SourceRef,
  interest: Interest,
  {
    annotations,
    names,
    settings,
  }: Pick<ExplainOptions, "names" | "settings"> & Pick<Planning, "annotations">,
): Promise<PlannedUser["reason"]> {
  if (!settings.sourceKinds.includes(source.kind)) return "SourceKindNotServed";
  const { owner } = interest;
  const isNamedByOwner = owner !== undefined && (await isNamedBy(owner, source, names));
  const reference = interest.references.get(sourceKey(source));
  const isNamed = await isNamedBy(interest, source, names);
  const judged = { ref: source, annotations, reference, isNamed, isNamedByOwner };
  return judgeFor(interest, judged).reason;
}
