/**
 * Commands that the Lua scripts of BullMQ call, by what is done with a queue. A test compares them with the scripts of the BullMQ that is
 * installed: a newer one may call others.
 */

/**
 * The scripts that ask: counts, pages and states of entries, the rate limit. What they would remove (`rpop`, `del`) was left by BullMQ 4 or by
 * a rate limit, and no queue of ours has seen either.
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

/** The scripts that take an entry, keep it, put it back and end it. */
export const takingCommands = [
  ...["del", "exists", "get", "hdel", "hexists", "hget", "hgetall", "hincrby", "hmget", "hmset", "hset"],
  ...["incr", "llen", "lpush", "lrange", "lrem", "ltrim", "pexpire", "pttl", "rpoplpush", "rpush", "sadd"],
  ...["scard", "set", "smembers", "srem", "xadd", "xtrim", "zadd", "zcard", "zpopmin", "zrange"],
  ...["zrangebyscore", "zrem", "zremrangebyrank", "zremrangebyscore", "zrevrange", "zrevrangebyscore"],
  ...["zscore"],
];
