import { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import { Fleet } from "@fleet-reloader/kube/fleet/fleet";
import { rightsFor } from "@fleet-reloader/kube/fleet/rights";
import { openRegistration } from "@fleet-reloader/kube/registration/sources";
import { RedisClient, redisAddress, verifyServer } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisClock } from "@fleet-reloader/redis/connection/redis-clock";
import { guardShards } from "@fleet-reloader/redis/connection/shard-guard";
import { GoneClusters } from "@fleet-reloader/redis/ownership/gone-clusters";
import { RedisIncumbents } from "@fleet-reloader/redis/ownership/redis-incumbents";
import { RedisOwnership } from "@fleet-reloader/redis/ownership/redis-ownership";
import { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
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
import { type RunningService, Shutdown } from "@fleet-reloader/runtime/process/lifecycle";
import { Loops } from "@fleet-reloader/runtime/process/loops";
import { systemClock, systemRandom } from "@fleet-reloader/runtime/process/system-clock";
import { uniqueInstanceName, userAgent } from "@fleet-reloader/runtime/process/version";
import { serveFreezes } from "@fleet-reloader/wiring/freezes";
import { startHistory, tellFreezes } from "@fleet-reloader/wiring/history";
import { openKeyring, openRedisUrl } from "@fleet-reloader/wiring/made-secrets";
import { compactOften } from "./compact-often.ts";
import { watcherConfig } from "./config.ts";
import { createScaling } from "./scaling.ts";
import { createWebhookMode, settingsFor } from "./telling.ts";
import { Watching } from "./watching.ts";

/** The watcher as a process of its own: several on one Redis share the clusters they are told of. */
export async function startWatcher(sources: ConfigSources): Promise<RunningService> {
  const config = await loadServiceConfig("fleet-reloader watcher", watcherConfig, sources);
  compactOften();
  const time = { clock: systemClock, random: systemRandom };
  const log = createLog({ service: "watcher", level: config.logLevel, format: config.logFormat });
  remarkOn(watcherConfig, sources, log);
  const { meter, adapters, metrics } = createPromMeter({ withProcess: true });
  const shutdown = new Shutdown();
  const secrets = { config, env: sources.env, clock: systemClock, log, metrics };

  const registration = openRegistration({
    ...{ ...time, log, meter, userAgent, onCall: adapters.requested },
    sources: registrationSourcesOf(config, sources.env),
  });
  shutdown.add("hub connection", () => registration.close());
  const client = new RedisClient(redisAddress(await openRedisUrl(secrets)), log);
  shutdown.add("redis", () => client.close());
  const keys = new Keys("fleet-reloader", config.shards);
  const clock = new RedisClock({ client, keys, local: systemClock });
  shutdown.add("clock", () => clock.stop());
  const shared = { ...time, clock, client, keys, log, meter };
  const queue = new BullWorkqueue(shared);
  shutdown.add("queue", () => queue.close());
  const webhookMode = await createWebhookMode({
    ...{ ...time, log, meter, url: config.webhookUrl, settings: settingsOf(config) },
    keyring: () => openKeyring(secrets),
  });
  if (webhookMode !== undefined) shutdown.add("webhook", () => webhookMode.stop());
  const settings = settingsFor(webhookMode, settingsOf(config));
  const watching = new Watching({
    ...{ ...shared, queue, webhookMode, settings },
    ...{
      names: new NameMatches({ compile: createPatternCompiler(), clock: systemClock }),
      auditIntervalMs: config.auditInterval,
    },
  });
  const fleet = new Fleet({
    ...{ ...time, log, meter, userAgent, onCall: adapters.requested, isShared: true },
    providers: registration.providers,
    rights: (namespaces) => rightsFor(["watcher"], settings, namespaces),
    limit: callLimit(config),
    incumbents: new RedisIncumbents({ client, keys }),
  });
  const member = uniqueInstanceName();
  const ownership = new RedisOwnership({ ...shared, member });
  const served = serveFreezes({ ...shared, fleet, config, env: sources.env, userAgent });
  shutdown.add("freezes", () => served.close());
  const { freezes } = served;
  const scaling = createScaling({
    ...{ ...shared, queue, freezes, fleet },
    horizonMs: config.workHorizon,
  });
  let starting: readonly string[] = ["the start is not over"];
  // Served before anything is waited for: being alive depends on nothing outside this process.
  const health = await listenHealth({
    address: { ...config.listenAddress, allowedHosts: config.allowedHosts },
    // What another one watches does not make this one unready.
    notReady: () => [
      ...starting,
      ...client.notReady,
      ...fleet.notEngaged,
      ...ownership.unowned.map((id) => `cluster ${fleet.get(id)?.name ?? id}: nobody watches it yet`),
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

  const lifetime = new AbortController();
  const loops = new Loops(lifetime.signal);
  const running = fleet.run(lifetime.signal, (engaged, signal) =>
    ownership.during(engaged.cluster, signal, (owned) => watching.watch(engaged, owned)),
  );
  loops.add("the fleet", running);
  loops.watch(served.broken);
  loops.add("ownership", ownership.run(lifetime.signal));
  loops.add("the watch over holds", scaling.watchHolds(lifetime.signal));
  const gone = new GoneClusters({ ...shared, registered: () => fleet.claimedClusters });
  loops.add("the forgetting of clusters", gone.run(lifetime.signal));
  const told = startHistory({ ...shared, config });
  shutdown.add("history", () => told.stop());
  const { history } = told;
  loops.add("the watch over freezes", tellFreezes({ ...shared, freezes, history, member }, lifetime.signal));
  shutdown.add("clusters", async () => {
    lifetime.abort();
    await loops.ended();
  });
  starting = [];
  log.info({ listen: `${config.listenAddress.host}:${health.port}` }, "watcher started");
  return { log, stop: () => shutdown.run(log), broken: loops.broken };
}
