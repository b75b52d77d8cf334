import { decodePercentCodes } from "@fleet-reloader/domain/bytes";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { Cluster, type Redis } from "ioredis";

/** Some nodes of a Redis Cluster, from which the others are learned, and how to log in to all of them. */
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

/** `redis-cluster://[user:password@]host:port,host:port`, `rediss-cluster://…` for TLS; undefined for what is none. */
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

/** Commands wait for a node that is away or replaced, as they do for one server: so often tried again, minutes pass. */
const redirectionsMax = 1000;
const retryDelayMs = 200;

interface ConnectClusterOptions {
  /** For how long a command may wait for a node without a byte. */
  readonly socketTimeout: number;
  readonly onLayoutChanged: () => void;
  readonly log: Log;
}

/**
 * A connection to all nodes. `onLayoutChanged` is called when, after the start, a node is lost or connected anew or slots have another master: as with one server
 * that may mean that acknowledged writes are gone.
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
    // Certificates are made out to names; an address would not be among them.
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
  // The loss counts as well: the connection is made anew within the next command, which is then answered already.
  cluster.on("-node", changed);
  cluster.on("+node", changed);
  let masters = "";
  cluster.on("refresh", () => {
    // Who follows whom, slot by slot, without the repetitions.
    const all = cluster.slots.map(([master]) => master);
    const now = all.filter((master, slot) => master !== all[slot - 1]).join(" ");
    if (masters !== "" && now !== masters) changed();
    masters = now;
  });
  logLostNodes(cluster, log);
  return cluster;
}

/** The cluster itself stays usable without one of its nodes, and says nothing of it; what lies there waits. */
function logLostNodes(cluster: Cluster, log: Log): void {
  const lost = new Set<string>();
  cluster.on("node error", ({ message }: Error, node: string) => {
    // The cluster itself is not there: that is told as a whole.
    if (cluster.status !== "ready") return;
    if (!lost.has(node))
      log.warn(
        { reason: "redis.unavailable", node, err: message },
        "a node of the Redis Cluster is not reachable",
      );
    lost.add(node);
  });
  // Each is connected to anew by another client.
  cluster.on("+node", (redis: Redis) => {
    redis.on("ready", () => {
      const node = `${redis.options.host}:${redis.options.port}`;
      if (lost.delete(node)) log.info({ node }, "a node of the Redis Cluster is reachable again");
    });
  });
}
