import type { Clock } from "@fleet-reloader/engine/async/clock";
import { publishReports } from "@fleet-reloader/engine/overview/publish-reports";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { type ClusterReport, reportLinesMax } from "@fleet-reloader/engine/ports/ownership";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { Fleet } from "@fleet-reloader/kube/fleet/fleet";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import type { Keys } from "@fleet-reloader/redis/connection/keys";
import { aloneMember, RedisClusterReports } from "@fleet-reloader/redis/ownership/redis-cluster-reports";
import type { RedisOwnership } from "@fleet-reloader/redis/ownership/redis-ownership";
import type { Watching } from "./watching.ts";

export interface ReportClustersOptions {
  readonly watching: Pick<Watching, "lags">;
  readonly fleet: Pick<Fleet, "missingRights" | "status">;
  /** Undefined: this process watches all clusters. */
  readonly ownership: RedisOwnership | undefined;
  /** The name under which it owns clusters. */
  readonly member: string;
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
}

/** Publishes the status of each cluster that this process watches. Resolves when the signal is aborted. */
export async function reportClusters(options: ReportClustersOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, fleet, keys, log, ownership, watching } = options;
  const member = ownership === undefined ? aloneMember : options.member;
  const store = new RedisClusterReports({ client, keys, member });
  await publishReports({ store, reports: () => clusterReports({ fleet, watching }), clock, log }, signal);
}

type Reported = Pick<ReportClustersOptions, "fleet" | "watching">;

function clusterReports({ fleet, watching }: Reported): ReadonlyMap<ClusterId, ClusterReport> {
  return new Map(
    [...watching.lags].map(([cluster, { behind, behindCount, behindSinceMs, streams }]) => {
      const missing = fleet.missingRights(cluster);
      const status = fleet.status(cluster);
      const report: ClusterReport = {
        status: status && { state: status.state, why: status.why.slice(0, reportLinesMax) },
        streams,
        behindCount,
        behind,
        behindSinceMs,
        missingRights: missing.slice(0, reportLinesMax),
        missingRightCount: missing.length,
      };
      return [cluster, report];
    }),
  );
}
