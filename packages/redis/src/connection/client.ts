import { Fault } from "@fleet-reloader/domain/fault";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { Cluster, Redis } from "ioredis";
import {
  type ClusterAddress,
  connectCluster,
  isClusterUrl,
  parseClusterUrl,
  readLogin,
} from "./cluster-connection.ts";
import { DeniedCommands } from "./denied-commands.ts";
import { gatherWrites } from "./gather-writes.ts";
import type { Keys } from "./keys.ts";

/** The address of Redis: a URL (`redis://`, `rediss://`), the path of a unix socket, or some nodes of a Redis Cluster. */
export type RedisAddress = { readonly url: string } | { readonly socketPath: string } | ClusterAddress;

/** A connection to one server, or to a Redis Cluster. */
export type RedisConnection = Redis | Cluster;

/** Commands wait for a reconnection instead of failing: a comparison rebuilds what they carry anyway. */
const baseOptions = {
  maxRetriesPerRequest: null,
  enableReadyCheck: true,
  // An ACL of Redis 7.0 cannot grant this command, and later versions log each denial.
  disableClientInfo: true,
} as const;

/**
 * A connection is lost when a command waits this long without receiving a byte: the connection to a node that is cut off stays open. The longest
 * intended wait is 10 s, by a worker for its next entry. A connection without pending commands may stay silent.
 */
const silentConnectionMs = 15_000;

/** Interval of reconnections while a server refuses writes: it may accept them again, or another server may have taken its place. */
const reconnectEveryMs = 1000;

/** Refusals within this time of each other are logged once. */
export const refusalsApartMs = 60_000;

/**
 * When to reconnect: after a lost connection, and when the server has become a read-only replica. After a failover the master's name leads to
 * another server, but the connection stays with the old one. Refused commands are sent again. A node of a Redis Cluster names the master instead.
 */
function renewal(log: Log) {
  let refusedAtMs = Number.NEGATIVE_INFINITY;
  const wasRefusedWithin = (ms: number) => performance.now() - refusedAtMs < ms;
  return {
    reconnectOnError: ({ message }: Error) => {
      if (!message.startsWith("READONLY")) return false;
      if (!wasRefusedWithin(refusalsApartMs))
        log.warn(
          { reason: "redis.unavailable", err: message },
          "Redis takes no writes; connecting anew until it does",
        );
      refusedAtMs = performance.now();
      return 2;
    },
    // Quick at first, since an embedded server is back within 100 ms; later once a second.
    retryStrategy: (times: number) =>
      wasRefusedWithin(reconnectEveryMs) ? reconnectEveryMs : Math.min(50 * times, 1000),
  } as const;
}

/**
 * A Redis connection that counts its reconnections. A reconnection may mean that acknowledged writes are lost (failover, flush, restart), so
 * callers that cache the state of Redis compare it again.
 */
export class RedisClient {
  readonly connection: RedisConnection;
  /** This Redis is the embedded one of a data dir on this machine. */
  readonly isEmbedded: boolean;
  readonly #denied: DeniedCommands;
  #connections = 0;

  /** `socketTimeout`: how long a command may wait without receiving a byte. */
  constructor(address: RedisAddress, log: Log, { socketTimeout = silentConnectionMs } = {}) {
    const onLayoutChanged = () => {
      this.#connections += 1;
    };
    this.isEmbedded = "socketPath" in address;
    this.connection =
      "nodes" in address
        ? connectCluster(address, { log, socketTimeout, onLayoutChanged })
        : connectServer(address, log, socketTimeout);
    gatherWrites(this.connection);
    this.#denied = new DeniedCommands(log);
    this.#denied.watch(this.connection);
    this.connection.on("ready", () => {
      this.#connections += 1;
    });
    // ioredis reports each failed attempt; only the state change is logged.
    let wasDown = false;
    this.connection.on("error", (error: Error) => {
      if (!wasDown) log.warn({ reason: "redis.unavailable", err: whyOf(error) }, "Redis is not reachable");
      wasDown = true;
    });
    this.connection.on("ready", () => {
      if (wasDown) log.info({}, "Redis is reachable again");
      wasDown = false;
    });
  }

  /** How many times a connection has become ready. */
  get connections(): number {
    return this.#connections;
  }

  /** Why this connection cannot be used, for readiness; empty when it can be. */
  get notReady(): readonly string[] {
    return this.connection.status === "ready" ? [] : [`redis: ${this.connection.status}`];
  }

  /** Problems of a usable connection: the commands that our user may not run, one per line. */
  get notes(): readonly string[] {
    return this.#denied.problems;
  }

  /** A connection of its own for a consumer that blocks. Its loss is not logged, since this client logs the loss of Redis. */
  duplicate(): RedisConnection {
    const { connection: ours } = this;
    const connection = ours instanceof Cluster ? ours.duplicate() : ours.duplicate();
    connection.on("error", () => undefined);
    gatherWrites(connection);
    return connection;
  }

  async close(): Promise<void> {
    this.connection.disconnect();
  }
}

/** When no node of a Redis Cluster is usable, ioredis' error says only that; this adds the message of the last node. */
function whyOf(error: Error): string {
  const last = "lastNodeError" in error ? error.lastNodeError : undefined;
  return last instanceof Error ? `${error.message} ${last.message}` : error.message;
}

/** A Redis with the keys of one fleet. */
export interface KeyedRedis {
  readonly client: RedisClient;
  readonly keys: Keys;
}

function connectServer(
  address: Exclude<RedisAddress, ClusterAddress>,
  log: Log,
  socketTimeout: number,
): Redis {
  const all = { ...baseOptions, ...renewal(log), socketTimeout };
  return "url" in address ? new Redis(address.url, all) : new Redis(address.socketPath, all);
}

/** Parses `--redis-url`; faults with `config.invalid` when it is no address. */
export function redisAddress(url: string): RedisAddress {
  if (url === "") {
    throw new Fault(
      "config.invalid",
      "--redis-url: it is missing; a watcher, worker or dashboard of its own needs the Redis they share, for example redis://127.0.0.1:6379",
    );
  }
  const cluster = parseClusterUrl(url);
  if (cluster !== undefined) return cluster;
  if (isClusterUrl(url)) {
    throw new Fault(
      "config.invalid",
      "--redis-url: this names no nodes of a Redis Cluster; write redis-cluster://[user:password@]host:port,host:port or rediss-cluster://…, without a database",
    );
  }
  const { password = "", pathname: path, username = "" } = URL.parse(url) ?? {};
  if (!/^rediss?:\/\/[^/]+/.test(url) || path === undefined || !/^(\/\d*)?$/.test(path)) {
    throw new Fault(
      "config.invalid",
      "--redis-url: this is no Redis URL; write redis://[user:password@]host:port[/db] or rediss://…, and for a Redis Cluster redis-cluster://host:port,host:port",
    );
  }
  if (readLogin(`${username}:${password}`) === undefined) {
    throw new Fault(
      "config.invalid",
      "--redis-url: its user or password has a % that begins no code; write %25 for a %",
    );
  }
  return { url };
}

/** The oldest major version that we test and that its vendor still supports. Valkey reports a compatible redis_version. */
const oldestMajor = 7;

/** Waits until Redis answers. Faults with `redis.unsuitable` when this server cannot carry the queue, or denies us access. */
export async function verifyServer(client: RedisClient): Promise<void> {
  for (const info of await unlessRefused(infosOf(client))) {
    const problem = redisProblem(info);
    if (problem !== undefined) throw new Fault("redis.unsuitable", `--redis-url: ${problem}`);
  }
}

async function infosOf({ connection }: RedisClient): Promise<readonly string[]> {
  // For a Redis Cluster asks every master, since keys lie on all of them. The first command waits until the masters are known.
  await connection.ping();
  if (connection instanceof Cluster)
    return await Promise.all(connection.nodes("master").map((server) => server.info()));
  const { db = 0 } = connection.options;
  // Select again: when Redis refuses the database of the URL, ioredis continues in database 0, which may be somebody else's.
  if (db !== 0) await connection.select(db);
  return [await connection.info()];
}

/** A command that Redis denies at the start stays denied, so this becomes a fault `redis.unsuitable` with the mend. */
export async function unlessRefused<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const problem = refusalProblem(error instanceof Error ? error.message : "");
    if (problem === undefined) throw error;
    throw new Fault("redis.unsuitable", `--redis-url: ${problem}`, { cause: error });
  }
}

/** Recognizes a denial by the first words of Redis' message; undefined for other errors. */
function refusalProblem(said: string): string | undefined {
  if (/^(WRONGPASS|NOAUTH|ERR AUTH)/.test(said))
    return `Redis does not accept the user and password, or their absence (${said}); write redis://user:password@host:port, both percent-encoded`;
  if (/^ERR (DB index|SELECT)/.test(said))
    return `this Redis does not have the database of the URL (${said}); write another number after the port, or none`;
  return undefined;
}

/** What is wrong with a server that has this INFO, and the mend; undefined when it is suitable. */
export function redisProblem(info: string): string | undefined {
  const [, major, minor] = /^redis_version:(\d+)\.(\d+)/m.exec(info) ?? [];
  if (Number(major) < oldestMajor)
    return `this Redis is version ${major}.${minor}; use Redis 7.0 or newer, or Valkey`;
  const [, policy = "noeviction"] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
  return policy === "noeviction"
    ? undefined
    : `this Redis evicts keys (maxmemory-policy ${policy}), so queued work would vanish; set maxmemory-policy noeviction`;
}
