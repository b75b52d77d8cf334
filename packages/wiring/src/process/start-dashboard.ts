import type { Log } from "@fleet-reloader/engine/ports/log";
import { RedisClient, redisAddress, verifyServer } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisAbsence } from "@fleet-reloader/redis/connection/redis-absence";
import { RedisClock } from "@fleet-reloader/redis/connection/redis-clock";
import { verifyShards } from "@fleet-reloader/redis/connection/shard-guard";
import { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import type { ConfigOf, ConfigShape } from "@fleet-reloader/runtime/config/field";
import type { connectionFields, ruleFields, workerFields } from "@fleet-reloader/runtime/config/fields";
import { type brakeFields, rollLimitsOf } from "@fleet-reloader/runtime/config/fields/brake-fields";
import type { fleetFields } from "@fleet-reloader/runtime/config/fields/fleet-fields";
import type { freezeFields } from "@fleet-reloader/runtime/config/fields/freeze-fields";
import type { historyFields } from "@fleet-reloader/runtime/config/fields/history-fields";
import type { dashboardFields } from "@fleet-reloader/runtime/config/fields/http-fields";
import { callLimit } from "@fleet-reloader/runtime/config/fields/limit-fields";
import type { webhookModeFields } from "@fleet-reloader/runtime/config/fields/notify-fields";
import type { ConfigSources } from "@fleet-reloader/runtime/config/load";
import { remarkOn } from "@fleet-reloader/runtime/config/remarks";
import { settingsOf } from "@fleet-reloader/runtime/config/settings-of";
import { listenHealth } from "@fleet-reloader/runtime/http/http-endpoint";
import { addressUrl } from "@fleet-reloader/runtime/http/socket-address";
import { createLog } from "@fleet-reloader/runtime/log/pino-log";
import { createProcessMetrics } from "@fleet-reloader/runtime/metrics/process-metrics";
import { type RunningService, Shutdown } from "@fleet-reloader/runtime/process/lifecycle";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { askOnDemand } from "../asks/ask-on-demand.ts";
import { openDashboard } from "../dashboard-parts.ts";
import { dashboardPlaces } from "../dashboard-places.ts";
import { openRedisUrl } from "../made-secrets.ts";
import { type OpenAccess, openAccess } from "../open-access.ts";

/** A dashboard in a process of its own. */
export interface DashboardSpec {
  /** Every field of the service. */
  readonly shape: ConfigShape;
  readonly config: ConfigOf<
    typeof connectionFields &
      typeof fleetFields &
      typeof ruleFields &
      typeof webhookModeFields &
      typeof freezeFields &
      typeof brakeFields &
      typeof historyFields &
      typeof dashboardFields &
      Pick<typeof workerFields, "markKeyFile" | "markKeySecret">
  >;
  readonly sources: ConfigSources;
}

/** A running dashboard. */
export interface RunningDashboard extends RunningService {
  /** The ports in use, also when 0 was given. */
  readonly ports: { readonly health: number; readonly dashboard: number };
}

/**
 * Starts a process that only answers: from Redis, and from a cluster for questions about its objects. It takes no work, owns no cluster, and
 * stores only sign-in sessions in Redis. Its pages are served before Redis answers and while Redis is away. When a step of the start fails,
 * everything that was started before ends, in reverse order.
 */
export async function startDashboard(spec: DashboardSpec): Promise<RunningDashboard> {
  const { logFormat, logLevel } = spec.config;
  const log = createLog({ service: "dashboard", level: logLevel, format: logFormat });
  remarkOn(spec.shape, spec.sources, log);
  const shutdown = new Shutdown();
  try {
    const ports = await startAnswering(spec, log, shutdown);
    // Its loops (clock, access file, certificate) return only when they are stopped. A loop that rejects ends the process in `runService`.
    const broken = Promise.withResolvers<never>().promise;
    return { log, stop: () => shutdown.run(log), broken, ports };
  } catch (error) {
    await shutdown.unwind(log);
    throw error;
  }
}

async function startAnswering(
  spec: DashboardSpec,
  log: Log,
  shutdown: Shutdown,
): Promise<RunningDashboard["ports"]> {
  const { config, sources } = spec;
  const metrics = createProcessMetrics();
  const access = await openAccess({ config, log });
  shutdown.add("access", () => access.close());
  const secrets = { config, env: sources.env, clock: systemClock, log, metrics, onlyReads: true };
  const redis = openRedis(await openRedisUrl(secrets), config.shards, log, shutdown);
  let starting: readonly string[] = ["the start has not ended"];
  const health = await listenHealth({
    address: allowedAddress(config.listenAddress, config.allowedHosts),
    notReady: () => [...starting, ...redis.absence.notReady],
    notes: () => [...redis.client.notes, ...access.notes],
    metrics,
  });
  shutdown.add("health", () => health.close());
  const port = await listenAnswering({ spec, redis, access, log, shutdown });
  const ready = `${addressUrl("http", { host: config.listenAddress.host, port: health.port })}/ready`;
  const places = dashboardPlaces(config, port);
  log.info(Object.assign({ health: ready }, places), "dashboard started");
  await verifyServer(redis.client);
  await redis.clock.start();
  await verifyShards(redis);
  starting = [];
  return { health: health.port, dashboard: port };
}

/** Nothing here waits for Redis. */
function openRedis(url: string, shards: number, log: Log, shutdown: Shutdown) {
  const client = new RedisClient(redisAddress(url), log);
  shutdown.add("redis connection", () => client.close());
  const keys = new Keys("fleet-reloader", shards);
  const clock = new RedisClock({ client, keys, local: systemClock });
  shutdown.add("clock", () => clock.stop());
  const queue = new BullWorkqueue({ client, keys, clock, isGuest: true });
  shutdown.add("queue", () => queue.close());
  return { client, keys, clock, queue, absence: new RedisAbsence({ client, clock }) };
}

interface ListenAnsweringOptions {
  readonly spec: DashboardSpec;
  readonly redis: ReturnType<typeof openRedis>;
  readonly access: OpenAccess;
  readonly log: Log;
  readonly shutdown: Shutdown;
}

/** Serves the pages; resolves to their port. */
async function listenAnswering({
  access,
  log,
  redis,
  shutdown,
  spec,
}: ListenAnsweringOptions): Promise<number> {
  const { config, sources } = spec;
  const { absence, client, clock, keys, queue } = redis;
  const { asked, close, freezeStores } = askOnDemand({
    config,
    env: sources.env,
    settings: askedSettings(config),
    limits: rollLimitsOf(config),
    limit: callLimit(config),
    redis: { client, keys },
    clock,
    // Registrations are read again for each question about a cluster; the watchers log their problems.
    log: createLog({ service: "dashboard", level: "error", format: config.logFormat }),
  });
  shutdown.add("asked clusters", close);
  const address = allowedAddress(config.dashboardAddress, config.allowedHosts);
  const acting = { freezes: freezeStores, historyLengthMax: config.historyMaxLength };
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
  shutdown.add("dashboard", () => dashboard.close());
  return dashboard.port;
}

/** Webhook mode serves no workload. */
function askedSettings(config: DashboardSpec["config"]) {
  const settings = settingsOf(config);
  return config.webhookUrl === undefined ? settings : { ...settings, workloadKinds: [] };
}

function allowedAddress(
  { host, port }: { readonly host: string; readonly port: number },
  allowedHosts: readonly string[],
) {
  return { host, port, allowedHosts };
}
