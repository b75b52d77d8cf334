import { Script } from "../connection/script.ts";
import { delayedScoreOfMs } from "./delayed-score.ts";

/**
 * When the bursts began that changes belong to. KEYS: the prefix of a queue, hold times, hold texts. ARGV: now, then
 * deduplication ids. Returns two wall times for each, in milliseconds: its start, and when the entry is due that waits for its time; empty
 * where none does.
 *
 * An entry that waits for its time and was never taken up says so itself: it was made by the first change (BullMQ's `timestamp`). One
 * that was taken up (`processedOn`) and put back has a burst again from the first change after that, which is noted on it. In all other
 * cases a burst begins now: nothing waits, or it is being run, and what comes meanwhile belongs to the next one.
 *
 * A change ends the hold of its entry: only a worker knows whether the change is held too, and none starts for what is on hold.
 */
export const burstStartsScript = new Script(`
local prefix, now = KEYS[1], ARGV[1]
local starts = {}
for i = 2, #ARGV do
  local start, due = now, ''
  local id = redis.call('GET', prefix .. 'de:' .. ARGV[i])
  local score = id and redis.call('ZSCORE', prefix .. 'delayed', id)
  if score then
    redis.call('ZREM', KEYS[2], id)
    redis.call('HDEL', KEYS[3], id)
    due = string.format('%d', math.floor(tonumber(score) / ${delayedScoreOfMs}))
    local entry = redis.call('HMGET', prefix .. id, 'timestamp', 'processedOn', 'firstChange')
    local made, taken, first = tonumber(entry[1]), tonumber(entry[2]), tonumber(entry[3])
    if made and not taken then
      start = entry[1]
    elseif first and first >= taken then
      start = entry[3]
    elseif made then
      redis.call('HSET', prefix .. id, 'firstChange', now)
    end
  end
  starts[#starts + 1] = start
  starts[#starts + 1] = due
end
return starts
`);
