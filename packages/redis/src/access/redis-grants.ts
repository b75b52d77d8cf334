import type { KeyPatterns } from "./key-patterns.ts";
import { addingCommands, askingCommands, promotingCommands, takingCommands } from "./queue-commands.ts";

/** What one part of the product does with Redis. */
export interface RedisGrant {
  readonly commands: readonly string[];
  /** Patterns of the keys that it only reads. */
  readonly reads?: readonly string[];
  /** Patterns of the keys that it writes and may read. */
  readonly writes?: readonly string[];
  /** These commands apply only to these keys, not to the keys of other grants. */
  readonly isApart?: boolean;
}

type RedisGrants = Readonly<Record<string, RedisGrant>>;

/** Redis requires write access from the caller of a script, unless the call is the read-only variant. */
const scripts = ["eval", "evalsha"];
const readOnlyScripts = ["eval_ro", "evalsha_ro"];

/** These commands locate the keys of a Redis Cluster, and reach a key that is being migrated. */
const clusterCommands = ["asking", "cluster|info", "cluster|slots"];

/** What each part of the product needs, by part. A script needs the rights of the commands that it calls. */
export function redisGrants(keys: KeyPatterns) {
  return { ...commonGrants(keys), ...watchGrants(keys), ...workGrants(keys), ...peopleGrants(keys) };
}

/** What several kinds of processes do. */
function commonGrants(keys: KeyPatterns) {
  const { cluster, fleet } = keys;
  return {
    connecting: { commands: ["ping", "info", "select", "client|setname", ...clusterCommands] },
    clock: { commands: ["time", ...readOnlyScripts], reads: [fleet.root] },
    /** The number of shards, and whether an older version used this Redis. */
    layout: { commands: ["exists", "get", "set"], reads: [keys.markKeyId], writes: [fleet.shards] },
    /** The registered clusters and the freeze documents. */
    serving: {
      commands: ["get", "hget", "hgetall", "hset", "sadd", "set", "sismember", ...scripts],
      writes: [fleet.incumbents, fleet.freezeDocuments, fleet.clusters],
    },
    historyWriting: {
      commands: ["xadd", "xtrim", "zrangebyscore", ...scripts],
      reads: [cluster.auditedWrites],
      writes: [keys.history],
    },
    /**
     * BullMQ runs its read-only scripts with the same call as all others, so the ACL must allow writes to the keys. None of these commands
     * writes.
     */
    queueReading: {
      commands: ["exec", "hexists", "hmget", "multi", "zscan", ...askingCommands, ...scripts],
      reads: keys.holds,
      writes: [keys.queue],
    },
    queueAdding: {
      commands: ["exec", "hdel", "multi", ...askingCommands, ...addingCommands, ...scripts],
      writes: [keys.queue, ...keys.holds],
    },
  } as const satisfies RedisGrants;
}

function watchGrants(keys: KeyPatterns) {
  const { fleet } = keys;
  return {
    /** The reference index, the checkpoints, and what webhook mode stores. */
    index: {
      commands: [
        ...["exists", "get", "hdel", "hget", "hgetall", "hlen", "hmget", "hscan", "hset", "hsetnx"],
        ...["mget", "sadd", "scard", "set", "sismember", "smembers", "srem", ...scripts],
      ],
      writes: [keys.clusters],
    },
    /** Hints, and the rollouts that workers leave to watchers. */
    hints: {
      commands: [
        ...["del", "exists", "expire", "get", "hget", "hmget", "set", "time"],
        ...["zadd", "zcard", "zrangebyscore", "zrem"],
        ...["zremrangebyrank", "zremrangebyscore", "zscore", ...scripts],
      ],
      writes: [...keys.hints, keys.clusters],
    },
    ownership: {
      commands: [
        ...["get", "hdel", "hget", "hgetall", "hset", "incr", "set", "time"],
        ...["zadd", "zrange", "zrangebyscore", "zrem", "zscore", ...scripts],
      ],
      writes: keys.ownership,
    },
    clusterReports: {
      commands: ["del", "hdel", "hset", "incr", "pexpire", ...scripts],
      writes: [keys.reports],
    },
    freezeNews: {
      commands: ["set", "time", "zadd", "zrange", "zrem", "zremrangebyscore", ...scripts],
      writes: [fleet.freezes, fleet.unreadableFreezes],
    },
    /** Removes the data of clusters that are no longer registered. */
    goneClusters: {
      commands: [
        ...["exists", "hdel", "hexists", "hget", "hgetall", "hkeys", "hset", "scan", "set", "time", "unlink"],
        ...scripts,
      ],
      reads: [fleet.owners],
      writes: [fleet.registered, fleet.forgetting, fleet.incumbents, keys.clusters],
    },
    /** Ends holds that are over. */
    holdEnding: {
      commands: ["hdel", "zmscore", "zrangebyscore", "zrem", "zscore", ...promotingCommands, ...scripts],
      writes: [keys.queue, ...keys.holds],
    },
  } as const satisfies RedisGrants;
}

function workGrants(keys: KeyPatterns) {
  const { cluster } = keys;
  return {
    markKey: { commands: ["get", "set", ...scripts], writes: [keys.markKeyId] },
    queueTaking: {
      commands: ["bzpopmin", "hdel", "hset", "zadd", "zrem", ...takingCommands, ...scripts],
      writes: [keys.queue, ...keys.holds],
    },
    /** The records of workloads and rollouts. */
    records: {
      commands: [
        ...["exists", "hdel", "hget", "hmget", "hset", "srem", "zadd", "zrem"],
        ...[...scripts, ...readOnlyScripts],
      ],
      reads: [cluster.epoch, cluster.served],
      writes: [cluster.noted, cluster.seen, cluster.unreconciled, cluster.rollouts, cluster.leftRollouts],
    },
    /** Budgets and breakers. */
    ledger: {
      commands: [
        ...["get", "hget", "hmget", "hset", "pexpire", "set", "time", "zadd", "zcount", "zrange"],
        ...["zrangebyscore", "zrank", "zrem", "zremrangebyscore", "zscore", ...scripts],
      ],
      writes: [keys.ledger],
    },
  } as const satisfies RedisGrants;
}

/** What people ask and do. */
function peopleGrants(keys: KeyPatterns) {
  return {
    historyReading: { commands: ["ping", "time", "xrange", "xrevrange"], reads: [keys.history] },
    /** What questions and pages read, besides the queue and the history. */
    asking: {
      commands: [
        ...["exists", "get", "hget", "hgetall", "hlen", "hmget", "hscan", "scard", "sismember", "time"],
        ...["zcount", "zrange", "zrangebyscore", "zrank", "zscore", ...readOnlyScripts],
        // To find out whether anything is newer.
        ...["strlen", "xinfo|stream", "zcard"],
      ],
      reads: [keys.all],
    },
    /** The sign-in sessions of the page. */
    sessions: { commands: ["getex", "set", "unlink"], writes: [keys.sessions], isApart: true },
    /** The board shows the workers, and what an entry depends on. */
    board: { commands: ["client|list", "sscan"] },
    /** A person closes a breaker. */
    breakerClosing: { commands: ["get", "scan", "unlink"], writes: [keys.breakers] },
  } as const satisfies RedisGrants;
}
