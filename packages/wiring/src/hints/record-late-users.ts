import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { History } from "@fleet-reloader/engine/history/history";
import { LateUsers } from "@fleet-reloader/engine/history/late-users";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { Fleet } from "@fleet-reloader/kube/fleet/fleet";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import type { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisAuditedWrites } from "@fleet-reloader/redis/hints/redis-audited-writes";
import { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import type { EventSourceMode } from "@fleet-reloader/runtime/audit/hint-fields";
import { eventSourceOf } from "./event-source.ts";

export interface LateUsersParts {
  readonly history: History;
  readonly fleet: Pick<Fleet, "get">;
  readonly eventSource: EventSourceMode;
  /** Whether this process watches a cluster: only one process looks up the users of its changes. */
  readonly watches: (cluster: ClusterId) => boolean;
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
}

/** Records the users of changes whose audit events come late. Resolves when the signal is aborted. */
export async function recordLateUsers(parts: LateUsersParts, signal: AbortSignal): Promise<void> {
  const { client, clock, eventSource, fleet, history, keys, log, watches } = parts;
  const reader = new HistoryReader({ client, keys });
  const late = new LateUsers({
    history,
    read: (since, until) => reader.read({ since, limit: Number.POSITIVE_INFINITY }, until),
    writes: new RedisAuditedWrites({ client, keys }),
    isAsked(cluster) {
      const labels = fleet.get(cluster)?.labels;
      return labels !== undefined && watches(cluster) && eventSourceOf(labels, eventSource) !== "watch";
    },
    clock,
    log,
  });
  await late.run(signal);
}
