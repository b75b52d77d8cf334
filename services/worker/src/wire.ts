import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import { Fleet } from "@fleet-reloader/kube/fleet/fleet";
import { rightsFor } from "@fleet-reloader/kube/fleet/rights";
import { openRegistration } from "@fleet-reloader/kube/registration/sources";
import { RedisClient, redisAddress, verifyServer } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisClock } from "@fleet-reloader/redis/connection/redis-clock";
import { guardShards } from "@fleet-reloader/redis/connection/shard-guard";
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
import { type RunningService, Shutdown } from "@fleet-reloader/runtime/process/lifecycle";
import { Loops } from "@fleet-reloader/runtime/process/loops";
import { systemClock, systemRandom } from "@fleet-reloader/runtime/process/system-clock";
import { instanceName, userAgent } from "@fleet-reloader/runtime/process/version";
import { serveFreezes } from "@fleet-reloader/wiring/freezes";
import { startHistory } from "@fleet-reloader/wiring/history";
import { openKeyring, openRedisUrl } from "@fleet-reloader/wiring/made-secrets";
import { workerConfig } from "./config.ts";
import { publishOnEngagement } from "./meta-info.ts";
import { startReporting } from "./reporting.ts";
import { startWorking } from "./working.ts";

/** The worker as a process of its own: any number of them may run on one Redis. */
export async function startWorker(sources: ConfigSources): Promise<RunningService> {
  const config = await loadServiceConfig("fleet-reloader worker", workerConfig, sources);
  const time = { clock: systemClock, random: systemRandom };
  const log = createLog({ service: "worker", level: config.logLevel, format: config.logFormat });
  remarkOn(workerConfig, sources, log);
  const { countByNamespace } = config;
  const { meter, adapters, metrics } = createPromMeter({ withProcess: true, countByNamespace });
  const shutdown = new Shutdown();

  const registration = openRegistration({
    ...{ ...time, log, meter, userAgent, onCall: adapters.requested },
    sources: registrationSourcesOf(config, sources.env),
  });
  shutdown.add("hub connection", () => registration.close());
  const secrets = { config, env: sources.env, clock: systemClock, log, metrics };
  const keyring = await openKeyring(secrets);
  const client = new RedisClient(redisAddress(await openRedisUrl(secrets)), log);
  shutdown.add("redis", () => client.close());
  const keys = new Keys("fleet-reloader", config.shards);
  const clock = new RedisClock({ client, keys, local: systemClock });
  shutdown.add("clock", () => clock.stop());
  const shared = { ...time, clock, client, keys, log, meter };
  const queue = new BullWorkqueue(shared);
  shutdown.add("queue", () => queue.close());
  adapters.watchQueue(() => queue.depth());
  const settings = settingsOf(config);
  const fleet = new Fleet({
    ...{ ...time, log, meter, userAgent, onCall: adapters.requested },
    providers: registration.providers,
    rights: (namespaces) => rightsFor(["worker"], settings, namespaces),
    limit: callLimit(config),
    ...{ incumbents: new RedisIncumbents({ client, keys }), tellsEvents: config.events },
  });
  const served = serveFreezes({ ...shared, fleet, config, env: sources.env, userAgent });
  shutdown.add("freezes", () => served.close());
  const { freezes } = served;
  let starting: readonly string[] = ["the start is not over"];
  // Served before anything is waited for: being alive depends on nothing outside this process.
  const health = await listenHealth({
    address: { ...config.listenAddress, allowedHosts: config.allowedHosts },
    notReady: () => [...starting, ...client.notReady, ...fleet.notEngaged],
    notes: () => [...registration.notes, ...fleet.notes, ...freezes.notes],
    metrics,
  });
  shutdown.add("health", () => health.close());
  await verifyServer(client);
  await clock.start();
  await guardShards({ client, keys });

  const lifetime = new AbortController();
  const publish = publishOnEngagement({
    ...{ ...time, shape: workerConfig, config, log, firstCluster: registration.given[0]?.name },
    signal: lifetime.signal,
  });
  const running = fleet.run(lifetime.signal, (engaged, signal) => {
    publish(engaged);
    // The connection of a cluster lives as long as its engagement.
    return untilAborted(signal);
  });
  const loops = new Loops(lifetime.signal);
  loops.add("the fleet", running);
  loops.watch(served.broken);
  shutdown.add("clusters", () => {
    lifetime.abort();
    return loops.ended();
  });
  const reporting = startReporting({
    ...{ ...shared, config, fleet, settings },
    isFleet: registration.isFleet,
    instance: instanceName(),
  });
  // After the worker, whose last rolls are told too, and before the connections that Events need.
  shutdown.add("reports", () => reporting.stop());
  const told = startHistory({ ...shared, config });
  shutdown.add("history", () => told.stop());
  // With --webhook-url nothing is rolled: what may still lie in the queue stays there.
  if (config.webhookUrl === undefined) {
    const working = await startWorking({
      ...{ ...shared, freezes, limits: rollLimitsOf(config) },
      ...{ fleet, keyring, queue, settings },
      reporter: reporting.reporter,
      history: told.history,
      onTaken: adapters.requestTaken,
      names: new NameMatches({ compile: createPatternCompiler(), clock: systemClock }),
      ...{ concurrency: config.concurrency, forgetOldKeys: config.forgetOldKeys },
    });
    shutdown.add("worker", () => working.stop());
    loops.watch(working.broken);
  }
  starting = [];
  log.info({ listen: `${config.listenAddress.host}:${health.port}` }, "worker started");
  return { log, stop: () => shutdown.run(log), broken: loops.broken };
}
