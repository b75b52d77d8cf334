import type { RegisteredCluster } from "@fleet-reloader/domain/hold/freeze-coverage";
import type { AskedCluster } from "@fleet-reloader/engine/ask/plan-source";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import { selectTargets } from "@fleet-reloader/kube/credentials/kubeconfig";
import { identify } from "@fleet-reloader/kube/discovery/cluster-identity";
import { Connection } from "@fleet-reloader/kube/http/connection";
import { createKubeClusterApi } from "@fleet-reloader/kube/objects/kube-cluster-api";
import { createWorkloadLists } from "@fleet-reloader/kube/objects/workload-lists";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { connectionFields } from "@fleet-reloader/runtime/config/fields";
import { kubeconfigFilesOf } from "@fleet-reloader/runtime/config/kubeconfig-files";
import { userAgent } from "@fleet-reloader/runtime/process/version";

export interface AskedClustersOptions {
  readonly config: ConfigOf<Pick<typeof connectionFields, "kubeconfig" | "contexts">>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: Settings;
  readonly clock: Clock;
  /** Names and labels of the clusters as the services have them. */
  readonly registered: readonly RegisteredCluster[];
}

export interface AskedClusters {
  readonly clusters: readonly AskedCluster[];
  close(): Promise<void>;
}

/** Connects to the contexts of a kubeconfig. A cluster that the services know has the name and the labels that they give it. */
export async function openAskedClusters(
  options: AskedClustersOptions,
  signal: AbortSignal,
): Promise<AskedClusters> {
  const { clock, config, env, registered, settings } = options;
  const targets = selectTargets(kubeconfigFilesOf(config.kubeconfig, env), config.contexts);
  const connections = targets.map((target) => ({
    name: target.name,
    connection: new Connection({ target, clock, userAgent }),
  }));
  const close = async () => void (await Promise.all(connections.map(({ connection }) => connection.close())));
  const { scope, workloadKinds } = settings;
  try {
    const clusters = await Promise.all(
      connections.map(async ({ name, connection }): Promise<AskedCluster> => {
        const id = await identify(connection, signal);
        const known = registered.find((cluster) => cluster.id === id);
        return {
          name: known?.name ?? name,
          labels: known?.labels ?? {},
          api: createKubeClusterApi(id, connection, workloadKinds, scope.sourceSelector),
          lists: createWorkloadLists(connection, workloadKinds),
          serverSeconds: () => connection.serverSeconds,
        };
      }),
    );
    return { clusters, close };
  } catch (error) {
    await close();
    throw error;
  }
}
