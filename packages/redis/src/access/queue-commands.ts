/**
 * Commands that the Lua scripts of BullMQ call, grouped by what they do with a queue. A test compares them with the scripts of the installed
 * BullMQ, since a newer version may call others.
 */

/**
 * The scripts that only read: counts, pages and states of entries, the rate limit. Their removals (`rpop`, `del`) concern what BullMQ 4 or a rate
 * limit left behind, and our queues never contain either.
 */
export const askingCommands = [
  ...["get", "hget", "hgetall", "lindex", "llen", "lpos", "lrange", "pttl", "zcard", "zcount", "zrange"],
  ...["zrevrange", "zscore"],
];

/** The scripts that add an entry. */
export const addingCommands = [
  ...["del", "exists", "get", "hget", "hmget", "hmset", "hset", "incr", "llen", "lpos", "lpush", "lrange"],
  ...["persist", "pttl", "rpush", "sadd", "scard", "set", "xadd", "zadd", "zrange", "zrem"],
  ...["zrevrangebyscore", "zscore"],
];

/** The script that makes a delayed entry due. */
export const promotingCommands = [
  ...["hget", "hmget", "hset", "incr", "lindex", "llen", "lpop", "lpush", "xadd", "zadd", "zrem"],
];

/** The scripts that take an entry, renew it, put it back and finish it. */
export const takingCommands = [
  ...["del", "exists", "get", "hdel", "hexists", "hget", "hgetall", "hincrby", "hmget", "hmset", "hset"],
  ...["incr", "llen", "lpush", "lrange", "lrem", "ltrim", "pexpire", "pttl", "rpoplpush", "rpush", "sadd"],
  ...["scard", "set", "smembers", "srem", "xadd", "xtrim", "zadd", "zcard", "zpopmin", "zrange"],
  ...["zrangebyscore", "zrem", "zremrangebyrank", "zremrangebyscore", "zrevrange", "zrevrangebyscore"],
  ...["zscore"],
];
