import { Script } from "../connection/script.ts";

/**
 * One exchange of a member with the others: it says that it lives, what it claims and what it gives up, and receives what changed. A record lives
 * as long as its owner, so renewing a thousand of them costs nothing. Time is Redis' own.
 *
 * Members: sorted set, member → when it expires. Owners: hash, cluster → `epoch movedAt weight owner`. Offers: hash, cluster → the
 * epoch of the owner that does not reach it; of another epoch it means nothing. The version changes with every change of these, and after a
 * loss: it is the time in microseconds, and always more than the previous version. A counter would reach the same number again after the loss of
 * the last change.
 *
 * The epoch is the time of the change of owner, and always more than the previous epoch. So it grows even after all data here is lost.
 *
 * KEYS: the root. ARGV: member, its time to live in ms (0: it leaves), how long a cluster stays after a move, the version it knows, then
 * quadruples (verb, cluster, epoch, weight). Returns version, time, 1 when the member was known; and when the version differs from the known one,
 * members, owners and offers.
 */
export const ownershipScript = new Script(`
local root = KEYS[1]
local members, owners, versionKey = root .. ':members', root .. ':owners', root .. ':owners-version'
local offers = root .. ':owners-offered'
local me, ttl, stay, known = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local changed = false

local function read(cluster)
  local text = redis.call('HGET', owners, cluster)
  if not text then return nil end
  local epoch, movedAt, weight, owner = string.match(text, '^(%d+) (%d+) (%d+) (.+)$')
  return { epoch = tonumber(epoch), movedAt = tonumber(movedAt), weight = weight, owner = owner }
end
local function write(cluster, epoch, movedAt, weight)
  redis.call('HSET', owners, cluster, string.format('%.0f %.0f %s %s', epoch, movedAt, weight, me))
  changed = true
end
local function remove(cluster)
  redis.call('HDEL', owners, cluster)
  redis.call('HDEL', offers, cluster)
  changed = true
end
local function isOffered(cluster, epoch)
  return redis.call('HGET', offers, cluster) == string.format('%.0f', epoch)
end

local wasMember = redis.call('ZSCORE', members, me) and 1 or 0
local gone, isAnyGone = {}, false
for _, id in ipairs(redis.call('ZRANGEBYSCORE', members, '-inf', '(' .. string.format('%.0f', now))) do
  if id ~= me then gone[id] = true end
end
if ttl == 0 then gone[me] = true end
for id in pairs(gone) do
  redis.call('ZREM', members, id)
  isAnyGone = true
end
if isAnyGone then
  local all = redis.call('HGETALL', owners)
  for i = 1, #all, 2 do
    if gone[string.match(all[i + 1], '^%d+ %d+ %d+ (.+)$')] then remove(all[i]) end
  end
  changed = true
end
if ttl > 0 then
  redis.call('ZADD', members, string.format('%.0f', now + ttl), me)
  if wasMember == 0 then changed = true end
end

for i = 5, #ARGV, 4 do
  local verb, cluster, epoch, weight = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2]), ARGV[i + 3]
  local record = read(cluster)
  if verb == 'claim' and not record then
    write(cluster, math.max(now, epoch + 1), 0, weight)
  elseif verb == 'keep' and not record then
    write(cluster, epoch, 0, weight)
  elseif verb == 'move' and record and record.epoch == epoch and record.owner ~= me and now - record.movedAt >= stay then
    write(cluster, math.max(now, epoch + 1), now, record.weight)
  elseif verb == 'weigh' and record and record.owner == me then
    write(cluster, record.epoch, record.movedAt, weight)
  elseif verb == 'free' and record and record.owner == me then
    remove(cluster)
  elseif verb == 'offer' and record and record.owner == me then
    redis.call('HSET', offers, cluster, string.format('%.0f', record.epoch))
    changed = true
  elseif verb == 'retain' and record and record.owner == me then
    redis.call('HDEL', offers, cluster)
    changed = true
  elseif verb == 'take' and record and record.epoch == epoch and record.owner ~= me and isOffered(cluster, epoch) then
    redis.call('HDEL', offers, cluster)
    write(cluster, math.max(now, epoch + 1), now, record.weight)
  end
end

local version = redis.call('GET', versionKey)
if changed or not version then
  version = string.format('%.0f', math.max(tonumber(version or '0') + 1, time[1] * 1000000 + time[2]))
  redis.call('SET', versionKey, version)
end
local answer = { version, string.format('%.0f', now), wasMember }
if version ~= known then
  answer[4] = redis.call('ZRANGE', members, 0, -1)
  answer[5] = redis.call('HGETALL', owners)
  answer[6] = redis.call('HGETALL', offers)
end
return answer
`);
