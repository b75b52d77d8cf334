import { likelyName } from "@fleet-reloader/domain/likely-name";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { Settings } from "../ports/settings.ts";
import type { Explain } from "./explain.ts";
import type { Explanation } from "./explanation.ts";
import type { AskedCluster, AskedSource, PlanSource } from "./plan-source.ts";
import type { SourcePlan } from "./source-plan.ts";

/** The clusters to ask, and the functions that answer. */
export interface ClustersAsked {
  readonly clusters: readonly AskedCluster[];
  readonly explain: Explain;
  readonly plan: PlanSource;
  readonly settings: Pick<Settings, "workloadKinds">;
}

/** An answer of each cluster. Or a sentence without an end: no cluster has the object, and which one was probably meant. */
export type EachAnswer<T> = { readonly answers: readonly T[] } | { readonly missing: string };

/** Explains a workload in each cluster. A workload that no cluster has was probably misspelt. */
export async function explainInEach(
  workload: WorkloadRef,
  { clusters, explain, settings }: Omit<ClustersAsked, "plan">,
  signal: AbortSignal,
): Promise<EachAnswer<Explanation>> {
  const answers = await Promise.all(
    clusters.map((cluster) => explain({ cluster: cluster.api.cluster, workload }, cluster, signal)),
  );
  const [first] = clusters;
  const isGone = ({ verdict }: Explanation) =>
    verdict.type === "unserved" && verdict.reason === "WorkloadGone";
  if (first === undefined || !answers.every(isGone)) return { answers };
  return { missing: await missingWorkload(workload, first, { settings, signal }) };
}

/** Plans the change of a source in each cluster. A source that no cluster has and no workload waits for was probably misspelt. */
export async function planInEach(
  question: AskedSource,
  { clusters, plan }: Pick<ClustersAsked, "clusters" | "plan">,
  signal: AbortSignal,
): Promise<EachAnswer<SourcePlan>> {
  const answers = await Promise.all(clusters.map((cluster) => plan(question, cluster, signal)));
  if (answers.some(({ state, users }) => state !== "missing" || users.length > 0)) return { answers };
  const { kind, namespace } = question.source;
  const nearest = answers.map((each) => each.nearest).find((name) => name !== undefined);
  const meant = nearest === undefined ? "" : `; did you mean ${kind}/${nearest}?`;
  return { missing: `there is none in namespace ${namespace}, and no workload uses it${meant}` };
}

/** Why a workload that somebody asked about does not exist, in a sentence without an end: what exists instead. */
export async function missingWorkload(
  { kind, namespace, name }: WorkloadRef,
  { api, lists, name: cluster }: AskedCluster,
  { settings, signal }: { readonly settings: Pick<Settings, "workloadKinds">; readonly signal: AbortSignal },
): Promise<string> {
  // Without a right to read the namespace, it counts as existing.
  const labels = await api.readNamespaceLabels(namespace, signal).catch(() => ({}));
  if (labels === undefined) return `there is no namespace ${namespace} in cluster ${cluster}`;
  const none = `there is none in namespace ${namespace} of cluster ${cluster}`;
  const named = new Map<string, readonly string[]>();
  for (const each of settings.workloadKinds) {
    const live = await lists.listWorkloads(each.kind, namespace, signal).catch(() => []);
    const names = live.map(({ ref }) => ref.name);
    named.set(each.kind, names);
  }
  const [otherKind] = [...named].find(([, names]) => names.includes(name)) ?? [];
  if (otherKind !== undefined) return `${none}; there is ${otherKind}/${name}`;
  const nearest = likelyName(name, named.get(kind) ?? []);
  return nearest === undefined ? none : `${none}; did you mean ${kind}/${nearest}?`;
}
