import { eachClusterOnce } from "@fleet-reloader/domain/cluster/each-cluster-once";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import { inCluster } from "@fleet-reloader/engine/ask/ask-each-cluster";
import type { AskedCluster } from "@fleet-reloader/engine/ask/plan-source";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import { type ClusterTarget, selectTargets } from "@fleet-reloader/kube/credentials/kubeconfig";
import { identify } from "@fleet-reloader/kube/discovery/cluster-identity";
import { Connection, type ConnectionOptions } from "@fleet-reloader/kube/http/connection";
import { createKubeClusterApi } from "@fleet-reloader/kube/objects/kube-cluster-api";
import { createWorkloadLists } from "@fleet-reloader/kube/objects/workload-lists";
import { hasOnlyFolders } from "@fleet-reloader/kube/registration/sources";
import { registrationSourcesOf } from "@fleet-reloader/runtime/config/fields/fleet-fields";
import { kubeconfigFilesOf } from "@fleet-reloader/runtime/config/kubeconfig-files";
import { userAgent } from "@fleet-reloader/runtime/process/version";
import { type AskedRegistrationsOptions, askedRegistrations } from "./asked-registrations.ts";
import { onlyFolderCluster } from "./only-cluster.ts";

export interface AskedClustersOptions extends AskedRegistrationsOptions {
  readonly config: AskedRegistrationsOptions["config"] & {
    /** Names or ids of registered clusters; empty: the contexts of the kubeconfig, or the only cluster of the folders. */
    readonly clusters: readonly string[];
  };
  readonly settings: Settings;
  /** Limit of the requests to one cluster; undefined: none. */
  readonly limit?: ConnectionOptions["limit"];
}

export interface AskedClusters {
  readonly clusters: readonly ReachedCluster[];
  /** Of each cluster that could not be reached; the message names it. */
  readonly failed: readonly Fault[];
  close(): Promise<void>;
}

/** A cluster with a connection. */
export interface ReachedCluster extends AskedCluster {
  /** Its registration shows only these namespaces; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
}

/**
 * Connects to the named clusters, or to the contexts of a kubeconfig. A cluster that the services know has the name and the labels that
 * they give it. Rejects when none can be reached.
 */
export async function openAskedClusters(
  options: AskedClustersOptions,
  signal: AbortSignal,
): Promise<AskedClusters> {
  const { clock, limit, registered, settings } = options;
  const ways = (await askedWays(options, signal)).map((way) => ({
    way,
    connection: new Connection({ target: way.target, limit, clock, userAgent }),
  }));
  const close = async () => void (await Promise.all(ways.map(({ connection }) => connection.close())));
  try {
    const all = await Promise.allSettled(ways.map((one) => reach(one, { registered, settings }, signal)));
    const clusters = firstOfEach(all.flatMap((one) => (one.status === "fulfilled" ? one.value : [])));
    const failed = all.flatMap((one) => (one.status === "rejected" ? [asFault(one.reason)] : []));
    if (clusters.length === 0) throw failed[0] ?? otherCluster(options.config.clusters);
    return { clusters, failed, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A cluster may be registered twice; the first registration counts. */
function firstOfEach(reached: readonly ReachedCluster[]): readonly ReachedCluster[] {
  const byId = Map.groupBy(reached, ({ api }) => api.cluster);
  return [...byId.values()].flatMap(([first]) => first ?? []);
}

/** One way to a cluster. */
interface AskedWay {
  readonly target: ClusterTarget;
  readonly name: string;
  readonly labels: Labels;
  readonly namespaces: readonly string[] | undefined;
  /** Undefined: any cluster. */
  readonly askedId: ClusterId | undefined;
}

async function askedWays(options: AskedClustersOptions, signal: AbortSignal): Promise<readonly AskedWay[]> {
  const { clock, config, env, log, registered } = options;
  const words = await askedWords(options, signal);
  if (words.length === 0) {
    const targets = selectTargets(kubeconfigFilesOf(config.kubeconfig, env), config.contexts);
    return targets.map((target) => ({
      target,
      name: target.name,
      labels: {},
      namespaces: undefined,
      askedId: undefined,
    }));
  }
  const found = await askedRegistrations(words, { clock, config, env, log, registered }, signal);
  return found.map(({ access, askedId, labels, name }) => {
    const { namespaces, target } = access;
    return { target, name, labels, namespaces, askedId };
  });
}

/** Empty: the contexts of the kubeconfig. */
async function askedWords(
  { clock, config, env, log }: AskedClustersOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (config.clusters.length > 0 || !hasOnlyFolders(registrationSourcesOf(config, env)))
    return config.clusters;
  return [await onlyFolderCluster({ clock, config, env, log }, signal)];
}

/** Nothing when the answering cluster has the requested name but another id. */
async function reach(
  { way, connection }: { readonly way: AskedWay; readonly connection: Connection },
  { registered, settings }: Pick<AskedClustersOptions, "registered" | "settings">,
  signal: AbortSignal,
): Promise<readonly ReachedCluster[]> {
  const { scope, workloadKinds } = settings;
  const id = await identify(connection, signal).catch((error: unknown) => {
    throw inCluster(way.name, error);
  });
  if (way.askedId !== undefined && way.askedId !== id) return [];
  const known = eachClusterOnce(registered).find((cluster) => cluster.id === id);
  return [
    {
      name: known?.name ?? way.name,
      labels: known?.labels ?? way.labels,
      namespaces: way.namespaces,
      api: createKubeClusterApi(id, connection, workloadKinds, scope.sourceSelector),
      lists: createWorkloadLists(connection, workloadKinds),
      serverSeconds: () => connection.serverSeconds,
    },
  ];
}

function otherCluster(words: readonly string[]): Fault {
  const why = "its registration leads to another cluster now; ask by the name instead of the id";
  return new Fault("config.invalid", `--cluster ${words.join(", ")}: ${why}`);
}

/** Faults with `config.invalid` for a namespace that the registration of a cluster does not show. */
export function assertShown(clusters: readonly ReachedCluster[], namespace: string): void {
  for (const { name, namespaces } of clusters) {
    if (namespaces === undefined || namespaces.includes(namespace)) continue;
    throw new Fault(
      "config.invalid",
      `--namespace ${namespace}: the registration of cluster ${name} shows only ${namespaces.join(", ")}; ask about one of these`,
    );
  }
}
