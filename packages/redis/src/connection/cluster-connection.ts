import { decodePercentCodes } from "@fleet-reloader/domain/bytes";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { Cluster, type Redis } from "ioredis";

/** Some nodes of a Redis Cluster, which name the others, and the login for all of them. */
export interface ClusterAddress {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
}

const scheme = /^redis(s?)-cluster:\/\//;
const form = /^redis(s?)-cluster:\/\/(?:([^@/?#\s]*)@)?([^@/?#\s]+)\/?$/;
const node = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\],]+)):(\d{1,5})$/;

export function isClusterUrl(url: string): boolean {
  return scheme.test(url);
}

/** Parses `redis-cluster://[user:password@]host:port,host:port`, or `rediss-cluster://…` for TLS; undefined for any other text. */
export function parseClusterUrl(url: string): ClusterAddress | undefined {
  const [matched, secure, login, hosts = ""] = form.exec(url) ?? [];
  if (matched === undefined) return undefined;
  const nodes = hosts.split(",").map((text) => {
    const [, ipv6, name, port] = node.exec(text) ?? [];
    return { host: ipv6 ?? name ?? "", port: Number(port) };
  });
  if (!nodes.every(({ host, port }) => host !== "" && port > 0 && port <= 65_535)) return undefined;
  const credentials = readLogin(login);
  return credentials === undefined ? undefined : { nodes, tls: secure === "s", ...credentials };
}

/** `user:password` of a URL; undefined when it cannot be decoded. */
export function readLogin(
  login: string | undefined,
): Pick<ClusterAddress, "username" | "password"> | undefined {
  if (login === undefined) return {};
  const colon = login.indexOf(":");
  const username = decodePercentCodes(colon < 0 ? login : login.slice(0, colon));
  const password = colon < 0 ? "" : decodePercentCodes(login.slice(colon + 1));
  if (username === undefined || password === undefined) return undefined;
  return { ...(username === "" ? {} : { username }), ...(password === "" ? {} : { password }) };
}

/** Commands wait for a node that is down or replaced, as they do for a single server: this many retries take minutes. */
const redirectionsMax = 1000;
const retryDelayMs = 200;

interface ConnectClusterOptions {
  /** How long a command may wait for a node without receiving a byte. */
  readonly socketTimeout: number;
  readonly onLayoutChanged: () => void;
  readonly log: Log;
}

/**
 * A connection to all nodes. After the start, `onLayoutChanged` is called when a node is lost or reconnected, or when slots get another master:
 * as with one server, acknowledged writes may be lost.
 */
export function connectCluster(
  address: ClusterAddress,
  { log, onLayoutChanged, socketTimeout }: ConnectClusterOptions,
): Cluster {
  const { nodes, tls, username, password } = address;
  const cluster = new Cluster([...nodes], {
    clusterRetryStrategy: (times) => Math.min(50 * times, 1000),
    maxRedirections: redirectionsMax,
    retryDelayOnFailover: retryDelayMs,
    retryDelayOnClusterDown: retryDelayMs,
    // Certificates are issued for host names; an IP address would not match.
    ...(tls ? { dnsLookup: (host, callback) => callback(null, host) } : {}),
    redisOptions: {
      maxRetriesPerRequest: null,
      disableClientInfo: true,
      socketTimeout,
      ...(tls ? { tls: {} } : {}),
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
    },
  });
  const changed = (): void => {
    if (cluster.status === "ready") onLayoutChanged();
  };
  // The loss itself counts too: the next command reconnects, and it is already answered when `+node` comes.
  cluster.on("-node", changed);
  cluster.on("+node", changed);
  let masters = "";
  cluster.on("refresh", () => {
    // The master of each slot, without consecutive repetitions.
    const all = cluster.slots.map(([master]) => master);
    const now = all.filter((master, slot) => master !== all[slot - 1]).join(" ");
    if (masters !== "" && now !== masters) changed();
    masters = now;
  });
  logLostNodes(cluster, log);
  return cluster;
}

/** The cluster stays usable without one of its nodes and does not report the loss; commands for that node wait. */
function logLostNodes(cluster: Cluster, log: Log): void {
  const lost = new Set<string>();
  cluster.on("node error", ({ message }: Error, node: string) => {
    // The whole cluster is unreachable: that is logged elsewhere.
    if (cluster.status !== "ready") return;
    if (!lost.has(node))
      log.warn(
        { reason: "redis.unavailable", node, err: message },
        "a node of the Redis Cluster is not reachable",
      );
    lost.add(node);
  });
  // Each reconnection to a node uses a new client.
  cluster.on("+node", (redis: Redis) => {
    redis.on("ready", () => {
      const node = `${redis.options.host}:${redis.options.port}`;
      if (lost.delete(node)) log.info({ node }, "a node of the Redis Cluster is reachable again");
    });
  });
}
