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

/** Where Redis is: a URL (`redis://`, `rediss://`), the path of a unix socket, or some nodes of a Redis Cluster. */
export type RedisAddress = { readonly url: string } | { readonly socketPath: string } | ClusterAddress;

/** What takes commands: one server, or a Redis Cluster. */
export type RedisConnection = Redis | Cluster;

/** Commands wait for a reconnection instead of failing: what they carry is rebuilt by a comparison anyway. */
const baseOptions = {
  maxRetriesPerRequest: null,
  enableReadyCheck: true,
  // A user of Redis 7.0 cannot be given the right to it, and later versions log that it was denied.
  disableClientInfo: true,
} as const;

/**
 * A connection on which a command waits for so long without a byte is lost: that of a node that is cut off stays open. The longest wait
 * that is meant is that of a worker for its next entry, 10 s. A connection that nobody asks may be silent for ever.
 */
const silentConnectionMs = 15_000;

/** A server that refuses writes is asked so often whether it takes them again, or whether another is there in its place. */
const reconnectEveryMs = 1000;

/** Refusals that come after each other within this time are one to people. */
export const refusalsApartMs = 60_000;

/**
 * When a connection is made anew. Beside one that is lost it is one to a server that follows another and so takes no writes: a name that
 * leads to the master leads elsewhere after a failover, and the connection stays. What was refused is sent again. A node of a Redis
 * Cluster names the master instead.
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
    // Quick at first, since an embedded server is back within 100 ms; a full second later on.
    retryStrategy: (times: number) =>
      wasRefusedWithin(reconnectEveryMs) ? reconnectEveryMs : Math.min(50 * times, 1000),
  } as const;
}

/**
 * A Redis connection that knows how often it was made anew. A reconnection may mean that acknowledged writes are gone
 * (failover, flush, restart), so those who keep a memory of Redis compare again after one.
 */
export class RedisClient {
  readonly connection: RedisConnection;
  /** Its Redis is that of a data dir on this machine. */
  readonly isEmbedded: boolean;
  readonly #denied: DeniedCommands;
  #connections = 0;

  /** `socketTimeout`: for how long a command may wait without a byte. */
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
    // ioredis reports each failed attempt; the state change is what matters.
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

  /** What keeps this connection from being used, for readiness; nothing when it can be. */
  get notReady(): readonly string[] {
    return this.connection.status === "ready" ? [] : [`redis: ${this.connection.status}`];
  }

  /** What is wrong although it can be used: commands that our user may not run, a line each. */
  get notes(): readonly string[] {
    return this.#denied.problems;
  }

  /** A connection of its own for a consumer that blocks. That it is down is told by this one. */
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

/** Of a Redis Cluster none of whose nodes will do, what the last one said: the error itself only tells that there is none. */
function whyOf(error: Error): string {
  const last = "lastNodeError" in error ? error.lastNodeError : undefined;
  return last instanceof Error ? `${error.message} ${last.message}` : error.message;
}

function connectServer(
  address: Exclude<RedisAddress, ClusterAddress>,
  log: Log,
  socketTimeout: number,
): Redis {
  const all = { ...baseOptions, ...renewal(log), socketTimeout };
  return "url" in address ? new Redis(address.url, all) : new Redis(address.socketPath, all);
}

/** The address of `--redis-url`; faults with `config.invalid` when it is none. */
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

/** The oldest that is tested and still mended by its makers; Valkey reports a compatible redis_version. */
const oldestMajor = 7;

/** Waits until Redis answers; faults with `redis.unsuitable` when this server cannot carry the queue, or refuses us. */
export async function verifyServer(client: RedisClient): Promise<void> {
  for (const info of await unlessRefused(infosOf(client))) {
    const problem = redisProblem(info);
    if (problem !== undefined) throw new Fault("redis.unsuitable", `--redis-url: ${problem}`);
  }
}

async function infosOf({ connection }: RedisClient): Promise<readonly string[]> {
  // Of a cluster every master: keys lie on all of them. A first command waits until they are known.
  await connection.ping();
  if (connection instanceof Cluster)
    return await Promise.all(connection.nodes("master").map((server) => server.info()));
  const { db = 0 } = connection.options;
  // Asked again: ioredis itself goes on in database 0 when that of the URL is refused, and that may be somebody else's.
  if (db !== 0) await connection.select(db);
  return [await connection.info()];
}

/** What Redis does not let us do at the start it will not later either: a fault `redis.unsuitable` with the mend. */
export async function unlessRefused<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const problem = refusalProblem(error instanceof Error ? error.message : "");
    if (problem === undefined) throw error;
    throw new Fault("redis.unsuitable", `--redis-url: ${problem}`, { cause: error });
  }
}

/** By the words Redis begins its refusals with; undefined for anything else. */
function refusalProblem(said: string): string | undefined {
  if (/^(WRONGPASS|NOAUTH|ERR AUTH)/.test(said))
    return `Redis does not accept the user and password, or their absence (${said}); write redis://user:password@host:port, both percent-encoded`;
  if (/^ERR (DB index|SELECT)/.test(said))
    return `this Redis does not have the database of the URL (${said}); write another number after the port, or none`;
  return undefined;
}

/** What is wrong with a server that answers INFO like this, and the mend; undefined when it will do. */
export function redisProblem(info: string): string | undefined {
  const [, major, minor] = /^redis_version:(\d+)\.(\d+)/m.exec(info) ?? [];
  if (Number(major) < oldestMajor)
    return `this Redis is version ${major}.${minor}; use Redis 7.0 or newer, or Valkey`;
  const [, policy = "noeviction"] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
  return policy === "noeviction"
    ? undefined
    : `this Redis evicts keys (maxmemory-policy ${policy}), so queued work would vanish; set maxmemory-policy noeviction`;
}
