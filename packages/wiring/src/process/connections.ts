import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import type { Random } from "@fleet-reloader/engine/async/clock";
import { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import { type OpenRegistration, openRegistration } from "@fleet-reloader/kube/registration/sources";
import { type RedisAddress, RedisClient, redisAddress } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisAbsence } from "@fleet-reloader/redis/connection/redis-absence";
import { RedisClock } from "@fleet-reloader/redis/connection/redis-clock";
import { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import { registrationSourcesOf } from "@fleet-reloader/runtime/config/fields/fleet-fields";
import { createPromMeter } from "@fleet-reloader/runtime/metrics/prom-meter";
import { createPatternCompiler } from "@fleet-reloader/runtime/pattern/compile-pattern";
import { dataDirOf, openDataDir } from "@fleet-reloader/runtime/process/data-dir";
import type { Shutdown } from "@fleet-reloader/runtime/process/lifecycle";
import { systemClock, systemRandom } from "@fleet-reloader/runtime/process/system-clock";
import { userAgent } from "@fleet-reloader/runtime/process/version";
import { openKeyring, openRedisUrl } from "../made-secrets.ts";
import type { ProcessSpec } from "./process-spec.ts";

type Prometheus = ReturnType<typeof createPromMeter>;

/** The connections that the parts of a process share. */
export interface Connections {
  readonly log: Log;
  readonly random: Random;
  readonly meter: Meter;
  readonly adapters: Prometheus["adapters"];
  readonly metrics: Prometheus["metrics"];
  readonly registration: OpenRegistration;
  /** The keys of the marks. Without a worker the first call opens them. */
  readonly keyring: () => Promise<Keyring>;
  readonly client: RedisClient;
  readonly keys: Keys;
  /** Redis' clock, one for all processes. */
  readonly clock: RedisClock;
  /** Since when Redis is away. */
  readonly absence: RedisAbsence;
  readonly queue: BullWorkqueue;
  readonly names: NameMatches;
}

/** Opens what the parts of a process share. Nothing here waits for Redis. */
export async function openConnections(spec: ProcessSpec, log: Log, shutdown: Shutdown): Promise<Connections> {
  const { config, sources, works } = spec;
  const countByNamespace = works?.config.countByNamespace ?? false;
  const { meter, adapters, metrics } = createPromMeter({ withProcess: true, countByNamespace });
  const registration = openRegistration({
    sources: registrationSourcesOf(config, sources.env),
    userAgent,
    clock: systemClock,
    random: systemRandom,
    log,
    meter,
    onCall: adapters.requested,
  });
  shutdown.add("hub connection", () => registration.close());
  const secrets = { config, env: sources.env, clock: systemClock, log, metrics };
  const opened = works === undefined ? undefined : await openKeyring(secrets);
  const keyring = async () => opened ?? (await openKeyring(secrets));
  const client = new RedisClient(await addressOf(await openRedisUrl(secrets), spec, log, shutdown), log);
  shutdown.add("redis connection", () => client.close());
  const keys = new Keys("fleet-reloader", config.shards);
  const clock = new RedisClock({ client, keys, local: systemClock });
  shutdown.add("clock", () => clock.stop());
  const absence = new RedisAbsence({ client, clock });
  const queue = new BullWorkqueue({ client, keys, clock });
  shutdown.add("queue", () => queue.close());
  adapters.watchQueue(() => queue.depth());
  adapters.watchRedis(() => absence.notReady.length === 0);
  const names = new NameMatches({ compile: createPatternCompiler(), clock: systemClock });
  const random = systemRandom;
  return {
    log,
    random,
    meter,
    adapters,
    metrics,
    registration,
    keyring,
    client,
    keys,
    clock,
    absence,
    queue,
    names,
  };
}

async function addressOf(
  url: string,
  { config, embeddedRedis, sources }: ProcessSpec,
  log: Log,
  shutdown: Shutdown,
): Promise<RedisAddress> {
  if (url !== "" || embeddedRedis === undefined) return redisAddress(url);
  const dataDir = dataDirOf(config.dataDir, sources.env);
  openDataDir(dataDir);
  const searchPath = sources.env.PATH ?? "";
  const server = await embeddedRedis({ dataDir, searchPath, clock: systemClock, log });
  shutdown.add("embedded redis", () => server.stop());
  return { socketPath: server.socketPath };
}
