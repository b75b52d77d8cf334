import { Fault } from "@fleet-reloader/domain/fault";
import type { Log } from "@fleet-reloader/engine/log";
import { Cluster, Redis } from "ioredis";
import { type ClusterAddress, connectCluster, isClusterUrl, parseClusterUrl } from "./cluster-connection.ts";

/** Where Redis is: a URL (`redis://`, `rediss://`), the path of a unix socket, or some nodes of a Redis Cluster. */
export type RedisAddress = { readonly url: string } | { readonly socketPath: string } | ClusterAddress;

/** What takes commands: one server, or a Redis Cluster. */
export type RedisConnection = Redis | Cluster;

/** Commands wait for a reconnection instead of failing: what they carry is rebuilt by a comparison anyway. */
const options = {
  maxRetriesPerRequest: null,
  enableReadyCheck: true,
  // Quick at first, since an embedded server is back within 100 ms; a full second later on.
  retryStrategy: (times: number) => Math.min(50 * times, 1000),
} as const;

/**
 * A Redis connection that knows how often it was made anew. A reconnection may mean that acknowledged writes are gone
 * (failover, flush, restart), so those who keep a memory of Redis compare again after one.
 */
export class RedisClient {
  readonly connection: RedisConnection;
  #connections = 0;

  constructor(address: RedisAddress, log: Log) {
    this.connection = connect(address, () => {
      this.#connections += 1;
    });
    this.connection.on("ready", () => {
      this.#connections += 1;
    });
    // ioredis reports each failed attempt; the state change is what matters.
    let wasDown = false;
    this.connection.on("error", (error: Error) => {
      if (!wasDown) log.warn({ reason: "redis.unavailable", err: error.message }, "Redis is not reachable");
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

  /** A connection of its own for a consumer that blocks. That it is down is told by this one. */
  duplicate(): RedisConnection {
    const { connection: ours } = this;
    const connection = ours instanceof Cluster ? ours.duplicate() : ours.duplicate();
    connection.on("error", () => undefined);
    return connection;
  }

  async close(): Promise<void> {
    this.connection.disconnect();
  }
}

function connect(address: RedisAddress, onLayoutChanged: () => void): RedisConnection {
  if ("nodes" in address) return connectCluster(address, onLayoutChanged);
  return "url" in address ? new Redis(address.url, options) : new Redis(address.socketPath, options);
}

/** The address of `--redis-url`; faults with `config.invalid` when it is none. */
export function redisAddress(url: string): RedisAddress {
  if (url === "") {
    throw new Fault(
      "config.invalid",
      "--redis-url: it is missing; a watcher or worker of its own needs the Redis they share, for example redis://127.0.0.1:6379",
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
  if (!/^rediss?:\/\/[^/]+/.test(url) || !URL.canParse(url)) {
    throw new Fault(
      "config.invalid",
      "--redis-url: this is no Redis URL; write redis://[user:password@]host:port[/db] or rediss://…, and for a Redis Cluster redis-cluster://host:port,host:port",
    );
  }
  return { url };
}

/** The oldest that is tested and still mended by its makers; Valkey reports a compatible redis_version. */
const oldestMajor = 7;

/** Waits until Redis answers; faults with `redis.unsuitable` when this server cannot carry the queue. */
export async function verifyServer(client: RedisClient): Promise<void> {
  const { connection } = client;
  // Of a cluster every master: keys lie on all of them. A first command waits until they are known.
  await connection.ping();
  const servers = connection instanceof Cluster ? connection.nodes("master") : [connection];
  for (const server of servers) {
    const problem = serverProblem(await server.info());
    if (problem !== undefined) throw new Fault("redis.unsuitable", `--redis-url: ${problem}`);
  }
}

/** What is wrong with a server that answers INFO like this, and the mend; undefined when it will do. */
export function serverProblem(info: string): string | undefined {
  const [, major, minor] = /^redis_version:(\d+)\.(\d+)/m.exec(info) ?? [];
  if (Number(major) < oldestMajor)
    return `this Redis is version ${major}.${minor}; use Redis 7.0 or newer, or Valkey`;
  const [, policy = "noeviction"] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
  return policy === "noeviction"
    ? undefined
    : `this Redis evicts keys (maxmemory-policy ${policy}), so queued work would vanish; set maxmemory-policy noeviction`;
}
