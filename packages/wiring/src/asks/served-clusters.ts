import { type AskedFleet, notConnected } from "@fleet-reloader/dashboard/api/asked-routes";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import type { Engaged, Fleet } from "@fleet-reloader/kube/fleet/fleet";
import { createKubeClusterApi } from "@fleet-reloader/kube/objects/kube-cluster-api";
import { createWorkloadLists } from "@fleet-reloader/kube/objects/workload-lists";
import type { ReachedCluster } from "./asked-clusters.ts";
import { createQuestions, type QuestionsOptions } from "./questions.ts";

export interface ServedClustersOptions extends Omit<QuestionsOptions, "nameOf"> {
  readonly fleet: Pick<Fleet, "get" | "named">;
}

/** Rolls use the same connections; four concurrent questions leave half of them free. */
const servedUsersAtOnce = 2;

/** Creates the functions that answer questions about the engaged clusters of a process, over its existing connections. Nothing of it writes. */
export function askServed(options: ServedClustersOptions): AskedFleet {
  const { clock, fleet, freezes, keyring, lifetime, limits, log, redis, settings } = options;
  const nameOf = (id: string) => fleet.get(id)?.name ?? id;
  const questions = createQuestions({
    freezes,
    keyring,
    limits,
    nameOf,
    redis,
    settings,
    clock,
    log,
    lifetime,
    usersAtOnce: servedUsersAtOnce,
  });
  return {
    explain: questions.explain,
    plan: questions.plan,
    settings,
    async ask(called, question) {
      const engaged = fleet.get(called) ?? fleet.named(called);
      if (engaged === undefined) throw notConnected(called);
      return await question(asAsked(engaged, settings));
    },
  };
}

function asAsked(
  { cluster, connection, labels, name, namespaces }: Engaged,
  settings: Settings,
): ReachedCluster {
  const { scope, workloadKinds } = settings;
  return {
    name,
    labels,
    namespaces,
    api: createKubeClusterApi(cluster, connection, workloadKinds, scope.sourceSelector),
    lists: createWorkloadLists(connection, workloadKinds),
    serverSeconds: () => connection.serverSeconds,
  };
}
