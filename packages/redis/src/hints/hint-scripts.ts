import { Script } from "../connection/script.ts";

/**
 * Numbers are Redis' time in microseconds, and always more than the previous number. So they grow even after all data here is lost.
 *
 * KEYS: hints of a cluster, last number, clusters with hints. ARGV: the maximum of hints, the key of the hint that stands for all, the cluster,
 * and keys, one per line: a client takes longer to write a thousand arguments than Redis takes to split a text. The hint that stands for all
 * replaces all others.
 */
export const addHintsScript = new Script(`
local time = redis.call('TIME')
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
local number = string.format('%.0f', math.max(last + 1, time[1] * 1000000 + time[2]))
redis.call('SET', KEYS[2], number)
for key in string.gmatch(ARGV[4], '[^\\n]+') do redis.call('ZADD', KEYS[1], number, key) end
local isAnything = redis.call('ZSCORE', KEYS[1], ARGV[2]) == number
if isAnything or redis.call('ZCARD', KEYS[1]) > tonumber(ARGV[1]) then
  redis.call('DEL', KEYS[1])
  redis.call('ZADD', KEYS[1], number, ARGV[2])
end
redis.call('ZADD', KEYS[3], number, ARGV[3])
return number
`);

/** KEYS: hints of a cluster, clusters with hints. ARGV: the cluster, then pairs (key, number). A hint with a larger number stays. */
export const settleHintsScript = new Script(`
for i = 2, #ARGV, 2 do
  local number = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if number and tonumber(number) <= tonumber(ARGV[i + 1]) then redis.call('ZREM', KEYS[1], ARGV[i]) end
end
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('ZREM', KEYS[2], ARGV[1]) end
return 0
`);

/**
 * KEYS: writes of a cluster. ARGV: seconds to keep, how many to keep, then groups of second, description, and sources, one per line. Writes from
 * the future are dropped.
 */
export const addWritesScript = new Script(`
local now = tonumber(redis.call('TIME')[1])
local oldest = now - tonumber(ARGV[1])
for i = 3, #ARGV, 3 do
  local at, description = tonumber(ARGV[i]), ' ' .. ARGV[i + 1]
  if at >= oldest and at <= now + 60 then
    for source in string.gmatch(ARGV[i + 2], '[^\\n]+') do redis.call('ZADD', KEYS[1], ARGV[i], source .. description) end
  end
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. string.format('%.0f', oldest))
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - tonumber(ARGV[2]))
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 0
`);
