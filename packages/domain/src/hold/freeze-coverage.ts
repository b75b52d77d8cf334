import { eachClusterOnce } from "../cluster/each-cluster-once.ts";
import type { SourceRef } from "../source/source.ts";
import { nearestName } from "../spelling/nearest-name.ts";
import type { Labels } from "../workload/label-selector.ts";
import { matchesSelector } from "../workload/label-selector.ts";
import type { WorkloadRef } from "../workload/workload.ts";
import { type FreezeScope, isOneOf } from "./freeze.ts";

/** A cluster that somebody has registered. */
export interface RegisteredCluster {
  readonly name: string;
  readonly labels: Labels;
  /** Undefined: the cluster has not answered yet. */
  readonly id?: string | undefined;
}

/** A workload that is reloaded, and what it uses. */
export interface ReloadedWorkload {
  readonly ref: WorkloadRef;
  /** The object that has its pod template, if it refers to one. */
  readonly templateOwner?: WorkloadRef | undefined;
  readonly sources: readonly Pick<SourceRef, "kind" | "name">[];
  /** Whether it uses the source of the freeze, also by a pattern. False if the freeze does not cover the workload or names no source. */
  readonly uses: boolean;
}

/** What a freeze covers at present. */
export interface FreezeCoverage {
  /** Names of clusters with a workload that is covered. */
  readonly clusters: readonly string[];
  readonly workloads: number;
  /** The covered workloads, each with the name of its cluster. */
  readonly covered: readonly { readonly cluster: string; readonly ref: WorkloadRef }[];
  /** Why the freeze covers nothing, with the name that was probably meant; undefined when it covers something. */
  readonly missing: string | undefined;
}

/** The registered clusters that match a freeze, and what is wrong when none does. */
export function clustersOf<C extends RegisteredCluster>(
  { cluster, clusterSelector }: FreezeScope,
  registered: readonly C[],
): { readonly clusters: readonly C[]; readonly missing: string | undefined } {
  const named = registered.filter(
    ({ name, id }) => cluster === undefined || cluster === name || cluster === id,
  );
  const clusters = named.filter(
    ({ labels }) => clusterSelector === undefined || matchesSelector(clusterSelector, labels),
  );
  if (clusters.length > 0) return { clusters, missing: undefined };
  if (registered.length === 0) return { clusters, missing: "no cluster is registered" };
  const names = registered.map(({ name }) => name);
  const missing =
    named.length === 0
      ? `no cluster is called ${cluster}${meant(cluster, names)}`
      : "no cluster has these labels";
  return { clusters, missing };
}

/**
 * The clusters that a freeze holds, each by the registration that serves it, and what is wrong when there are none. Workers know only that
 * registration. So a freeze that names another registration of the cluster, or its labels, holds nothing.
 */
export function frozenClustersOf<C extends RegisteredCluster>(
  scope: FreezeScope,
  registered: readonly C[],
): ReturnType<typeof clustersOf<C>> {
  const { clusters: named, missing } = clustersOf(scope, registered);
  const serving = eachClusterOnce(registered);
  const clusters = named.filter((one) => serving.includes(one));
  if (missing !== undefined || clusters.length > 0) return { clusters, missing };
  const meantOne = serving.find(({ id }) => named.some((one) => one.id === id));
  const what =
    scope.cluster === undefined ? "a registration with these labels" : `the registration ${scope.cluster}`;
  return { clusters, missing: `no cluster is served by ${what}; did you mean ${meantOne?.name}?` };
}

/** Which of the reloaded workloads a freeze covers. */
export function coverageOf<C extends RegisteredCluster>(
  scope: FreezeScope,
  registered: readonly C[],
  workloadsOf: (cluster: C) => readonly ReloadedWorkload[],
): FreezeCoverage {
  const { namespace, workload, source } = scope;
  const { clusters, missing } = frozenClustersOf(scope, registered);
  const none = (why: string) => ({ clusters: [], workloads: 0, covered: [], missing: why });
  if (missing !== undefined) return none(missing);
  const all = clusters.flatMap((cluster) => workloadsOf(cluster).map((each) => ({ ...each, cluster })));
  if (all.length === 0) return none("no workload is reloaded there");
  const inNamespace = all.filter(({ ref }) => namespace === undefined || ref.namespace === namespace);
  if (inNamespace.length === 0) {
    const near = meant(
      namespace,
      all.map(({ ref }) => ref.namespace),
    );
    return none(`no workload of namespace ${namespace} is reloaded${near}`);
  }
  const named = inNamespace.filter(
    ({ ref, templateOwner }) => workload === undefined || isOneOf(workload, [ref, templateOwner]),
  );
  if (named.length === 0) {
    const wanted = `${workload?.kind}/${workload?.name}`;
    const near = meant(
      wanted,
      inNamespace.map(({ ref }) => `${ref.kind}/${ref.name}`),
    );
    return none(`no ${wanted} is reloaded${near}`);
  }
  const covered = named.filter(({ uses }) => source === undefined || uses);
  if (covered.length === 0) {
    const wanted = `${source?.kind}/${source?.name}`;
    const near = meant(
      wanted,
      named.flatMap(({ sources }) => sources.map(({ kind, name }) => `${kind}/${name}`)),
    );
    return none(`nothing that is reloaded uses ${wanted}${near}`);
  }
  const names = new Set(covered.map(({ cluster }) => cluster.name));
  return {
    clusters: [...names].sort(),
    workloads: covered.length,
    covered: covered.map(({ cluster, ref }) => ({ cluster: cluster.name, ref })),
    missing: undefined,
  };
}

function meant(name: string | undefined, known: readonly string[]): string {
  const nearest = nearestName(name ?? "", [...new Set(known)]);
  return nearest === undefined ? "" : `; did you mean ${nearest}?`;
}
