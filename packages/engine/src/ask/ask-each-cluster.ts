import { asFault, Fault } from "@fleet-reloader/domain/fault";
import { likelyName } from "@fleet-reloader/domain/spelling/likely-name";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import { mapBounded } from "../async/map-bounded.ts";
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

/** What clusters answer. */
export interface AnswersOfClusters<T> {
  /** In the order of the clusters. */
  readonly answers: readonly T[];
  /** Of each cluster that does not answer; the message names it. */
  readonly failed: readonly Fault[];
}

/**
 * The answers of clusters; or a sentence without an end: none that answers has what was asked about, and what was probably meant. Beside
 * either, the faults of the clusters that do not answer.
 */
export type EachAnswer<T> =
  | AnswersOfClusters<T>
  | (Pick<AnswersOfClusters<T>, "failed"> & { readonly missing: string });

/** Explains a workload in each cluster. A workload that no cluster has was probably misspelt. */
export async function explainInEach(
  workload: WorkloadRef,
  { clusters, explain, settings }: Omit<ClustersAsked, "plan">,
  signal: AbortSignal,
): Promise<EachAnswer<Explanation>> {
  const asked = await askAllAtOnce(clusters, async (cluster) => ({
    cluster,
    answer: await explain({ cluster: cluster.api.cluster, workload }, cluster, signal),
  }));
  const answers = asked.answers.map(({ answer }) => answer);
  const { failed } = asked;
  const [first] = asked.answers;
  const isGone = ({ verdict }: Explanation) =>
    verdict.type === "unserved" && verdict.reason === "WorkloadGone";
  if (first === undefined || !answers.every(isGone)) return { answers, failed };
  return { failed, missing: await missingWorkload(workload, first.cluster, { settings, signal }) };
}

/** Plans the change of a source in each cluster. A source that no cluster has and no workload waits for was probably misspelt. */
export async function planInEach(
  question: AskedSource,
  { clusters, plan }: Pick<ClustersAsked, "clusters" | "plan">,
  signal: AbortSignal,
): Promise<EachAnswer<SourcePlan>> {
  const { answers, failed } = await askAllAtOnce(clusters, (cluster) => plan(question, cluster, signal));
  if (answers.some(({ state, users }) => state !== "missing" || users.length > 0)) return { answers, failed };
  const { kind, namespace } = question.source;
  const nearest = answers.map((each) => each.nearest).find((name) => name !== undefined);
  const meant = nearest === undefined ? "" : `; did you mean ${kind}/${nearest}?`;
  return { failed, missing: `there is none in namespace ${namespace}, and no workload uses it${meant}` };
}

/** All at once: each has connections of its own. */
async function askAllAtOnce<T>(
  clusters: readonly AskedCluster[],
  ask: (cluster: AskedCluster) => Promise<T>,
): Promise<AnswersOfClusters<T>> {
  return await answersOfClusters(clusters, clusters.length, ask);
}

/**
 * Asks each of these clusters, at most so many at once. One that does not answer takes nothing from the answers of the others. Rejects with the
 * first fault when none answers.
 */
export async function answersOfClusters<C extends { readonly name: string }, T>(
  clusters: readonly C[],
  atOnce: number,
  ask: (cluster: C) => Promise<T>,
): Promise<AnswersOfClusters<T>> {
  const faults: unknown[] = [];
  const failed: Fault[] = [];
  const each = await mapBounded(clusters, atOnce, async (cluster) => {
    try {
      return { answer: await ask(cluster) };
    } catch (error) {
      faults.push(error);
      failed.push(inCluster(cluster.name, error));
      return undefined;
    }
  });
  const answers = each.flatMap((one) => (one === undefined ? [] : [one.answer]));
  if (answers.length > 0 || failed.length === 0) return { answers, failed };
  throw clusters.length === 1 ? faults[0] : failed[0];
}

/** The fault of one cluster of several that are asked. */
export function inCluster(cluster: string, error: unknown): Fault {
  const fault = asFault(error);
  const { code, context, message } = fault;
  if (message.includes(`cluster ${cluster}: `)) return fault;
  return new Fault(code, `cluster ${cluster}: ${message}`, { cause: error, context });
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
