import { listenDashboard } from "@fleet-reloader/dashboard/listen-dashboard";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import type { Keys } from "@fleet-reloader/redis/connection/keys";
import { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import type { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import type { ListenAddress } from "@fleet-reloader/runtime/http/http-endpoint";

export interface DashboardPartsOptions {
  readonly address: ListenAddress;
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly queue: BullWorkqueue;
  readonly clock: Clock;
}

/** What the dashboard is made of. A process without one does not load it. */
export interface DashboardParts {
  listen(options: DashboardPartsOptions): Promise<{ readonly port: number; close(): Promise<void> }>;
}

export const dashboardParts: DashboardParts = {
  listen: ({ address, client, keys, queue, clock }) =>
    listenDashboard({ address, queues: queue.queues, reader: new HistoryReader({ client, keys }), clock }),
};
