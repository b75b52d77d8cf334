import { firstHoldMs, longestHoldMs } from "@fleet-reloader/domain/hold/breaker";
import {
  askAgainMaxMs,
  finishPollMs,
  graceMs,
  latenessMs,
  leaseMs,
} from "@fleet-reloader/domain/hold/budget";
import { blockersMax } from "@fleet-reloader/engine/admission/roll-ledger";
import { Script } from "../connection/script.ts";

/**
 * The Lua of the ledger of rolls, which all workers share: the rules of breakers and budgets. The test kit's roll-ledger-model states the same
 * rules in TypeScript, and a contract test compares the answers. All keys begin with KEYS[1] and share one slot: a roll enters every level or
 * none.
 */
const parts = `
local root = KEYS[1]
local ask, now
local function hear(text)
  ask = cjson.decode(text)
  now = ask.now
  if not now then
    local t = redis.call('TIME')
    now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
  end
end
hear(ARGV[1])
local function write(...)
  if not ask.only then redis.call(...) end
end
local function exact(number)
  return string.format('%.17g', number)
end
local function at(level, what)
  return root .. ':b:' .. level.key .. what
end
local function leave(level, share, roll)
  local one = share .. '\\n' .. roll
  write('ZREM', at(level, ':waiting'), one)
  write('ZREM', at(level, ':due'), one)
  write('ZREM', at(level, ':of:' .. share), roll)
end
local function lease(level, what, till)
  if till then write('ZADD', at(level, what), exact(till), ask.roll) else write('ZREM', at(level, what), ask.roll) end
end
local function readBreaker(key)
  local text = redis.call('GET', root .. ':k:' .. key)
  if text then return cjson.decode(text) end
  return { rolls = {}, trips = 0, till = 0 }
end
local function writeBreaker(key, state, within)
  local last = math.max(state.till, state.rolls[#state.rolls] or 0)
  write('SET', root .. ':k:' .. key, cjson.encode(state), 'PX', math.max(1, last + within - now))
end
`;

/**
 * ARGV: JSON of each ask. Asks are answered one after the other, as if each came in a call of its own: an ask whose stored data is damaged fails
 * alone. A temporary refusal of Redis applies to all, so the call fails. Returns {'entered'}, {'breaker', position, until, now}, {'budget',
 * position, what, afterMs, unfinished roll…} or {'failed', why} for each.
 *
 * An ask with `only` gets the same answer and writes nothing: the counts leave out what a write would have removed first.
 */
export const enterScript = new Script(`${parts}
local function precedes(one, other)
  for i = 1, math.min(#one, #other) do
    if one:byte(i) ~= other:byte(i) then return one:byte(i) < other:byte(i) end
  end
  return #one < #other
end
local function countAhead(level, me, overdue)
  local waiting, place = at(level, ':waiting'), exact(level.place)
  local ahead = redis.call('ZCOUNT', waiting, '-inf', '(' .. place)
  for _, one in ipairs(redis.call('ZRANGEBYSCORE', waiting, place, place)) do
    if precedes(one, me) then ahead = ahead + 1 end
  end
  for one in pairs(overdue) do
    local its = tonumber(redis.call('ZSCORE', waiting, one) or '')
    if its and (its < level.place or its == level.place and precedes(one, me)) then ahead = ahead - 1 end
  end
  return ahead
end
local function enter()
  local passed = {}
  for i, b in ipairs(ask.breakers) do
    local s = readBreaker(b.key)
    if not (b.version and s.last == b.version) then
      local last = math.max(s.till, s.rolls[#s.rolls] or 0)
      local trips, till = s.trips, s.till
      if now - last >= b.within then trips, till = 0, 0 end
      if now < till then return { 'breaker', i, till, now } end
      local rolls, probed = {}, false
      for _, t in ipairs(s.rolls) do
        if t > now - b.within then
          rolls[#rolls + 1] = t
          if t >= till then probed = true end
        end
      end
      local full = #rolls >= b.max
      local closed = not full
      if trips > 0 then closed = not probed end
      if not closed then
        local pause = math.min(${firstHoldMs} * 2 ^ trips, ${longestHoldMs})
        local room = 0
        if full then room = rolls[#rolls - b.max + 1] + b.within end
        s.rolls, s.trips, s.till = rolls, trips + 1, math.min(math.max(now + pause, room), now + ${longestHoldMs})
        writeBreaker(b.key, s, b.within)
        return { 'breaker', i, s.till, now }
      end
      rolls[#rolls + 1] = now
      passed[#passed + 1] = { b = b, s = { rolls = rolls, trips = trips, till = till, last = b.version or s.last } }
    end
  end

  local short, shortOf, shortMs = nil, nil, -1
  if #ask.levels > 0 then write('SET', root .. ':since', now, 'NX') end
  local since = #ask.levels > 0 and tonumber(redis.call('GET', root .. ':since') or now)
  for i, l in ipairs(ask.levels) do
    local f = redis.call('HMGET', at(l, ''), 'tokens', 'at', 'served')
    local tokens, from = tonumber(f[1] or '0'), tonumber(f[2] or since)
    l.served = tonumber(f[3] or '0')
    if l.rolls then
      tokens = math.min(l.burst, tokens + math.max(0, now - from) * l.rolls / l.per)
    else
      tokens = 0
    end
    l.tokens, l.from = tokens, math.max(now, from)
    write('ZREMRANGEBYSCORE', at(l, ':late'), '-inf', now)
    local due = redis.call('ZRANGEBYSCORE', at(l, ':due'), '-inf', now - ${graceMs})
    local overdue = {}
    for _, one in ipairs(due) do
      local share, roll = string.match(one, '^(.-)\\n(.*)$')
      overdue[one] = true
      leave(l, share, roll)
      write('ZADD', at(l, ':late'), now + ${latenessMs}, roll)
    end
    local me = l.share .. '\\n' .. ask.roll
    local place = not overdue[me] and redis.call('ZSCORE', at(l, ':waiting'), me)
    local lateUntil = tonumber(redis.call('ZSCORE', at(l, ':late'), ask.roll) or '0')
    if place then
      l.place = tonumber(place)
    elseif overdue[me] or lateUntil > now then
      l.place = l.served
    else
      local last = 0
      local tail = redis.call('ZRANGE', at(l, ':of:' .. l.share), -1 - #due, -1, 'WITHSCORES')
      for j = 1, #tail, 2 do
        if not overdue[l.share .. '\\n' .. tail[j]] then last = tonumber(tail[j + 1]) end
      end
      l.place = math.max(l.served, last) + 1
    end
    write('ZADD', at(l, ':waiting'), l.place, me)
    local ahead = ask.only and countAhead(l, me, overdue) or redis.call('ZRANK', at(l, ':waiting'), me)
    local of, after = nil, 0
    if l.unfinished then
      write('ZREMRANGEBYSCORE', at(l, ':leases'), '-inf', now)
      write('ZREMRANGEBYSCORE', at(l, ':earlier'), '-inf', now)
      local under = redis.call('ZCOUNT', at(l, ':leases'), '(' .. exact(now), '+inf')
      l.own = tonumber(redis.call('ZSCORE', at(l, ':leases'), ask.roll) or '0')
      if l.own > now then under = under - 1 end
      if l.unfinished - under - ahead < 1 then
        of, after = 'unfinished', math.min(${askAgainMaxMs}, ${finishPollMs} * (1 + math.floor(ahead / l.unfinished)))
      end
    end
    if not of and l.rolls and tokens - ahead < 1 then
      of, after = 'rate', math.min(${askAgainMaxMs}, math.ceil((ahead + 1 - tokens) * l.per / l.rolls))
    end
    if of and after > shortMs then short, shortOf, shortMs = i, of, after end
  end
  for i, l in ipairs(ask.levels) do
    write('ZREM', at(l, ':late'), ask.roll)
    if i == short then
      write('ZADD', at(l, ':due'), now + shortMs, l.share .. '\\n' .. ask.roll)
      write('ZADD', at(l, ':of:' .. l.share), l.place, ask.roll)
    else
      leave(l, l.share, ask.roll)
    end
    if not short then
      if l.rolls then l.tokens = l.tokens - 1 end
      if l.unfinished then
        lease(l, ':earlier', l.own > now and l.own)
        lease(l, ':leases', now + ${leaseMs})
      end
      l.served = math.max(l.served, l.place)
    end
    write('HSET', at(l, ''), 'tokens', string.format('%.17g', l.tokens), 'at', l.from, 'served', l.served)
    for _, what in ipairs({ '', ':waiting', ':due', ':late', ':leases', ':earlier', ':of:' .. l.share }) do
      write('PEXPIRE', at(l, what), ask.keep)
    end
  end
  if short then
    local answer = { 'budget', short, shortOf, shortMs }
    if shortOf == 'unfinished' then
      local leases = at(ask.levels[short], ':leases')
      for _, roll in ipairs(redis.call('ZRANGEBYSCORE', leases, '(' .. exact(now), '+inf', 'LIMIT', 0, ${blockersMax + 1})) do
        if roll ~= ask.roll and #answer < 4 + ${blockersMax} then answer[#answer + 1] = roll end
      end
    end
    return answer
  end
  for _, p in ipairs(passed) do writeBreaker(p.b.key, p.s, p.b.within) end
  return { 'entered' }
end
local function isRefused(why)
  local code = string.match(why, '^(%u+) ')
  return code == 'OOM' or code == 'READONLY' or code == 'MISCONF' or code == 'NOREPLICAS'
end
local answers = {}
for i, text in ipairs(ARGV) do
  hear(text)
  local isAnswered, answer = pcall(enter)
  if not isAnswered then
    local why = type(answer) == 'table' and answer.err or tostring(answer)
    if isRefused(why) then return { err = why } end
    answer = { 'failed', why }
  end
  answers[i] = answer
end
return answers
`);

/** ARGV: JSON of the ask. The roll was not made: gives back what it took. */
export const withdrawScript = new Script(`${parts}
for _, b in ipairs(ask.breakers) do
  local s = readBreaker(b.key)
  if #s.rolls > 0 then
    s.rolls[#s.rolls] = nil
    writeBreaker(b.key, s, b.within)
  end
end
for _, l in ipairs(ask.levels) do
  local tokens = redis.call('HGET', at(l, ''), 'tokens')
  if l.rolls and tokens then
    redis.call('HSET', at(l, ''), 'tokens', string.format('%.17g', math.min(l.burst, tonumber(tokens) + 1)))
  end
  -- A rollout that began before is unfinished still.
  local earlier = tonumber(redis.call('ZSCORE', at(l, ':earlier'), ask.roll) or '0')
  lease(l, ':leases', earlier > now and earlier)
  lease(l, ':earlier', false)
  if tokens then
    redis.call('ZADD', at(l, ':late'), now + ${latenessMs}, ask.roll)
    redis.call('PEXPIRE', at(l, ':late'), ask.keep)
  end
end
return 0
`);

/** ARGV: JSON of the ask. The rollout that began `age` ago has ended. `endRollout` of the model. */
export const settledScript = new Script(`${parts}
for _, l in ipairs(ask.levels) do
  for _, what in ipairs({ ':leases', ':earlier' }) do
    local till = redis.call('ZSCORE', at(l, what), ask.roll)
    if till and tonumber(till) - ${leaseMs} <= now - ask.age / 2 then lease(l, what, false) end
  end
end
return 0
`);
