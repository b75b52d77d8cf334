import type { DashboardActs } from "@fleet-reloader/dashboard/acts/dashboard-acts";
import type { AskedFleet } from "@fleet-reloader/dashboard/api/asked-routes";
import { listenDashboard } from "@fleet-reloader/dashboard/listen-dashboard";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import type { Freezes } from "@fleet-reloader/engine/admission/freezes";
import type { RollLimits } from "@fleet-reloader/engine/admission/roll-ledger";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import type { Fleet } from "@fleet-reloader/kube/fleet/fleet";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import type { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisAbsence } from "@fleet-reloader/redis/connection/redis-absence";
import type { RedisClock } from "@fleet-reloader/redis/connection/redis-clock";
import { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import { HistoryProjection } from "@fleet-reloader/redis/overview/history-projection";
import { RedisFleetOverview } from "@fleet-reloader/redis/overview/redis-fleet-overview";
import { RedisFreshness } from "@fleet-reloader/redis/overview/redis-freshness";
import type { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import { RedisSessions } from "@fleet-reloader/redis/session/redis-sessions";
import type { FreezeStores } from "@fleet-reloader/runtime/freeze/freeze-store";
import type { ListenAddress } from "@fleet-reloader/runtime/http/http-endpoint";
import { openActedFleet } from "./acted-fleet.ts";
import { askServed } from "./asks/served-clusters.ts";
import { type OpenAccess, type OpenAccessOptions, openAccess } from "./open-access.ts";

export interface DashboardPartsOptions {
  readonly address: ListenAddress;
  readonly access: OpenAccess;
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly queue: BullWorkqueue;
  readonly clock: RedisClock;
  readonly log: Log;
  /** Questions about its clusters use the existing connections of the process. */
  readonly fleet: Fleet;
  readonly freezes: Freezes;
  readonly acting: ActingOptions;
  readonly keyring: Keyring;
  readonly settings: Settings;
  readonly limits: RollLimits;
}

/** The parts of the dashboard. A process without a dashboard does not load them. */
export interface DashboardParts {
  /** Opened before anything is served, so that nobody sees unprotected pages. */
  openAccess(options: OpenAccessOptions): Promise<OpenAccess>;
  listen(options: DashboardPartsOptions): Promise<{ readonly port: number; close(): Promise<void> }>;
}

/** What signed-in people act with. */
export interface ActingOptions {
  /** Where freezes are declared for all processes; undefined: nowhere. */
  readonly freezes: FreezeStores | undefined;
  /** Maximum of records in a stream of the history; the oldest are removed. */
  readonly historyLengthMax: number;
}

/** The data sources of every dashboard. */
export interface OpenDashboardOptions {
  readonly address: ListenAddress;
  readonly access: OpenAccess;
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly queue: BullWorkqueue;
  readonly asked: AskedFleet;
  readonly acting: ActingOptions;
  /** Since when Redis is away. */
  readonly absence: RedisAbsence;
  /** Redis' own clock. */
  readonly clock: Clock;
  readonly log: Log;
}

/** Serves page, API, history and queue board. */
export async function openDashboard(options: OpenDashboardOptions) {
  const { absence, access, acting, address, asked, client, clock, keys, log, queue } = options;
  const history = new HistoryReader({ client, keys });
  const overview = new RedisFleetOverview({ client, keys, queue, clock });
  const projection = new HistoryProjection({ client, keys, reader: history, clock });
  const sessions = new RedisSessions({ client, keys, clock });
  const control = access.control({ sessions, overview, notReady: () => absence.notReady, clock });
  // Without a sign-in nobody acts: an act without a person would say little later.
  const acts: DashboardActs | undefined = control && {
    identify: (request) => control.identify(request),
    freezes: acting.freezes,
    fleet: openActedFleet({ client, keys, queue, lengthMax: acting.historyLengthMax, clock, log }),
  };
  const dashboard = await listenDashboard({
    address,
    access: control,
    signIn: access.issuerSignIn(clock),
    tls: access.tls,
    queues: queue.queues,
    reader: {
      get notReady() {
        return absence.notReady;
      },
      read: (query, signal) => history.read(query, signal),
    },
    records: projection,
    overview,
    asked,
    freshness: new RedisFreshness({ client, keys, queue }),
    acts,
    clock,
    log,
    loadPage: async () => (await import("@fleet-reloader/dashboard/page-files")).readPageFiles(),
  });
  return {
    port: dashboard.port,
    async close() {
      await dashboard.close();
      projection.close();
    },
  };
}

export const dashboardParts: DashboardParts = {
  openAccess,

  async listen(options) {
    const {
      access,
      acting,
      address,
      client,
      clock,
      fleet,
      freezes,
      keyring,
      keys,
      limits,
      log,
      queue,
      settings,
    } = options;
    const lifetime = new AbortController();
    const asked = askServed({
      fleet,
      freezes,
      keyring: { keys: keyring, areKeysShared: true },
      limits,
      redis: { client, keys },
      settings,
      clock,
      log,
      lifetime: lifetime.signal,
    });
    const absence = new RedisAbsence({ client, clock });
    const dashboard = await openDashboard({
      access,
      acting,
      address,
      client,
      keys,
      queue,
      asked,
      absence,
      clock,
      log,
    });
    return {
      port: dashboard.port,
      async close() {
        lifetime.abort();
        await dashboard.close();
      },
    };
  },
};
