import { listenDashboard } from "@fleet-reloader/dashboard/listen-dashboard";
import { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { Fleet } from "@fleet-reloader/kube/fleet/fleet";
import { rightsFor } from "@fleet-reloader/kube/fleet/rights";
import { openRegistration } from "@fleet-reloader/kube/registration/sources";
import {
  type RedisAddress,
  RedisClient,
  redisAddress,
  verifyServer,
} from "@fleet-reloader/redis/connection/client";
import { EmbeddedServer } from "@fleet-reloader/redis/connection/embedded-server";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisClock } from "@fleet-reloader/redis/connection/redis-clock";
import { guardShards } from "@fleet-reloader/redis/connection/shard-guard";
import { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import { GoneClusters } from "@fleet-reloader/redis/ownership/gone-clusters";
import { RedisIncumbents } from "@fleet-reloader/redis/ownership/redis-incumbents";
import { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import { rollLimitsOf } from "@fleet-reloader/runtime/config/fields/brake-fields";
import { registrationSourcesOf } from "@fleet-reloader/runtime/config/fields/fleet-fields";
import { callLimit } from "@fleet-reloader/runtime/config/fields/limit-fields";
import type { ConfigSources } from "@fleet-reloader/runtime/config/load";
import { remarkOn } from "@fleet-reloader/runtime/config/remarks";
import { loadServiceConfig } from "@fleet-reloader/runtime/config/service";
import { settingsOf } from "@fleet-reloader/runtime/config/settings-of";
import { listenHealth } from "@fleet-reloader/runtime/http/http-endpoint";
import { createLog } from "@fleet-reloader/runtime/log/pino-log";
import { createPromMeter } from "@fleet-reloader/runtime/metrics/prom-meter";
import { createPatternCompiler } from "@fleet-reloader/runtime/pattern/compile-pattern";
import { dataDirOf, openDataDir } from "@fleet-reloader/runtime/process/data-dir";
import { type RunningService, Shutdown } from "@fleet-reloader/runtime/process/lifecycle";
import { Loops } from "@fleet-reloader/runtime/process/loops";
import { systemClock, systemRandom } from "@fleet-reloader/runtime/process/system-clock";
import { instanceName, uniqueInstanceName, userAgent } from "@fleet-reloader/runtime/process/version";
import { createScaling } from "@fleet-reloader/watcher/scaling";
import { createWebhookMode, settingsFor } from "@fleet-reloader/watcher/telling";
import { Watching } from "@fleet-reloader/watcher/watching";
import { serveFreezes } from "@fleet-reloader/wiring/freezes";
import { startHistory, tellFreezes } from "@fleet-reloader/wiring/history";
import { openKeyring, openRedisUrl } from "@fleet-reloader/wiring/made-secrets";
import { publishOnEngagement } from "@fleet-reloader/worker/meta-info";
import { startReporting } from "@fleet-reloader/worker/reporting";
import { startWorking } from "@fleet-reloader/worker/working";
import { standaloneConfig } from "./config.ts";

/** Watcher, worker, dashboard and an embedded Redis in one process. */
export async function startStandalone(sources: ConfigSources): Promise<RunningService> {
  const config = await loadServiceConfig("fleet-reloader", standaloneConfig, sources);
  const time = { clock: systemClock, random: systemRandom };
  const log = createLog({ service: "standalone", level: config.logLevel, format: config.logFormat });
  remarkOn(standaloneConfig, sources, log);
  const { countByNamespace } = config;
  const { meter, adapters, metrics } = createPromMeter({ withProcess: true, countByNamespace });
  const shutdown = new Shutdown();
  try {
    const registration = openRegistration({
      ...{ ...time, log, meter, userAgent, onCall: adapters.requested },
      sources: registrationSourcesOf(config, sources.env),
    });
    shutdown.add("hub connection", () => registration.close());
    const dataDir = dataDirOf(config.dataDir, sources.env);
    const secrets = { config, env: sources.env, clock: systemClock, log, metrics };
    const keyring = await openKeyring(secrets);
    const address = await redisFor(await openRedisUrl(secrets), dataDir, {
      searchPath: sources.env.PATH ?? "",
      log,
      shutdown,
    });
    const client = new RedisClient(address, log);
    shutdown.add("redis connection", () => client.close());
    const keys = new Keys("fleet-reloader", config.shards);
    const clock = new RedisClock({ client, keys, local: systemClock });
    shutdown.add("clock", () => clock.stop());
    const queue = new BullWorkqueue({ clock, client, keys });
    shutdown.add("queue", () => queue.close());
    adapters.watchQueue(() => queue.depth());

    const webhookMode = await createWebhookMode({
      ...{ ...time, log, meter, url: config.webhookUrl, settings: settingsOf(config) },
      keyring: async () => keyring,
    });
    if (webhookMode !== undefined) shutdown.add("webhook", () => webhookMode.stop());
    const settings = settingsFor(webhookMode, settingsOf(config));
    const shared = {
      ...{ ...time, clock },
      client,
      keys,
      queue,
      log,
      meter,
      settings,
      names: new NameMatches({ compile: createPatternCompiler(), clock: systemClock }),
    };
    const fleet = new Fleet({
      ...{ ...time, log, meter, userAgent, onCall: adapters.requested },
      providers: registration.providers,
      rights: (namespaces) => rightsFor(["watcher", "worker"], settings, namespaces),
      limit: callLimit(config),
      ...{ incumbents: new RedisIncumbents({ client, keys }), tellsEvents: config.events },
    });
    const watching = new Watching({ ...shared, webhookMode, auditIntervalMs: config.auditInterval });
    const served = serveFreezes({ ...shared, fleet, config, env: sources.env, userAgent });
    shutdown.add("freezes", () => served.close());
    const { freezes } = served;
    const scaling = createScaling({ ...shared, freezes, fleet, horizonMs: config.workHorizon });
    let starting: readonly string[] = ["the start is not over"];
    // Served before anything is waited for: being alive depends on nothing outside this process.
    const health = await listenHealth({
      address: { ...config.listenAddress, allowedHosts: config.allowedHosts },
      notReady: () => [
        ...starting,
        ...client.notReady,
        ...fleet.notEngaged,
        ...watching.notReady((cluster) => fleet.isWaitedFor(cluster)),
      ],
      notes: () => [...registration.notes, ...fleet.notes, ...freezes.notes],
      metrics,
      work: scaling.work,
    });
    shutdown.add("health", () => health.close());
    await verifyServer(client);
    await clock.start();
    await guardShards({ client, keys });
    const dashboard = await listenDashboard({
      address: { ...config.dashboardAddress, allowedHosts: config.allowedHosts },
      queues: queue.queues,
      reader: new HistoryReader({ client, keys }),
      clock,
    });
    shutdown.add("dashboard", () => dashboard.close());

    const clusters = new AbortController();
    const publish = publishOnEngagement({
      ...{ ...time, shape: standaloneConfig, config, log, firstCluster: registration.given[0]?.name },
      signal: clusters.signal,
    });
    const loops = new Loops(clusters.signal);
    const running = fleet.run(clusters.signal, (engaged, signal) => {
      publish(engaged);
      return watching.watch(engaged, signal);
    });
    loops.add("the fleet", running);
    loops.watch(served.broken);
    loops.add("the watch over holds", scaling.watchHolds(clusters.signal));
    const gone = new GoneClusters({ ...shared, registered: () => fleet.claimedClusters });
    loops.add("the forgetting of clusters", gone.run(clusters.signal));
    const told = startHistory({ ...shared, config });
    const { history } = told;
    const member = uniqueInstanceName();
    loops.add(
      "the watch over freezes",
      tellFreezes({ ...shared, freezes, history, member }, clusters.signal),
    );
    shutdown.add("clusters", async () => {
      clusters.abort();
      await loops.ended();
    });
    const reporting = startReporting({
      ...{ ...shared, config, fleet },
      isFleet: registration.isFleet,
      instance: instanceName(),
    });
    // After the worker, whose last rolls are told too, and before the connections that Events need.
    shutdown.add("reports", () => reporting.stop());
    shutdown.add("history", () => told.stop());
    // With --webhook-url nothing is rolled: what may still lie in the queue stays there.
    if (webhookMode === undefined) {
      const working = await startWorking({
        ...{ freezes, limits: rollLimitsOf(config) },
        ...{ ...shared, fleet, keyring },
        ...{ concurrency: config.concurrency, forgetOldKeys: config.forgetOldKeys },
        reporter: reporting.reporter,
        history,
        onTaken: adapters.requestTaken,
      });
      // Ended first: requests under way still need their cluster's connection.
      shutdown.add("worker", () => working.stop());
      loops.watch(working.broken);
    }
    starting = [];
    log.info(
      {
        health: `http://${config.listenAddress.host}:${health.port}/ready`,
        history: `http://${config.dashboardAddress.host}:${dashboard.port}/history`,
        queues: `http://${config.dashboardAddress.host}:${dashboard.port}/queues`,
      },
      "fleet-reloader started",
    );
    return { log, stop: () => shutdown.run(log), broken: loops.broken };
  } catch (error) {
    await shutdown.run(log);
    throw error;
  }
}

async function redisFor(
  url: string,
  dataDir: string,
  {
    searchPath,
    log,
    shutdown,
  }: { readonly searchPath: string; readonly log: Log; readonly shutdown: Shutdown },
): Promise<RedisAddress> {
  if (url !== "") return redisAddress(url);
  openDataDir(dataDir);
  const server = await EmbeddedServer.start({ dataDir, searchPath, clock: systemClock, log });
  shutdown.add("embedded redis", () => server.stop());
  return { socketPath: server.socketPath };
}
