import { Script } from "../connection/script.ts";

/**
 * The Lua scripts of the reference index. Each script first checks the epoch, so it answers only from the state that the caller opened. All keys
 * of a script begin with the cluster's root (KEYS[1]), so they lie in one slot.
 */

const checkEpoch = `
local root = KEYS[1]
if redis.call('GET', root .. ':epoch') ~= ARGV[1] then
  return redis.error_reply('STATELOST the index of this cluster is not the one that was opened')
end
local function namespaceOf(workload)
  return string.match(workload, '/([^/]*)/[^/]*$')
end
-- Most sources are used by one workload, which lies in a hash for all of them: a set of its own takes four times the memory.
local function dependentsOf(source)
  local only = redis.call('HGET', root .. ':dependent', source)
  if only then return { only } end
  return redis.call('SMEMBERS', root .. ':dependents:' .. source)
end
local function link(workload, source)
  local many = root .. ':dependents:' .. source
  if redis.call('EXISTS', many) == 0 then
    local only = redis.call('HGET', root .. ':dependent', source)
    if not only or only == workload then
      redis.call('HSET', root .. ':dependent', source, workload)
      return
    end
    redis.call('HDEL', root .. ':dependent', source)
    redis.call('SADD', many, only)
  end
  redis.call('SADD', many, workload)
end
local function unlink(workload, text)
  local old = cjson.decode(text)
  for _, source in ipairs(old.s) do
    if redis.call('HGET', root .. ':dependent', source) == workload then
      redis.call('HDEL', root .. ':dependent', source)
    else
      redis.call('SREM', root .. ':dependents:' .. source, workload)
    end
  end
  redis.call('HDEL', root .. ':patterns:' .. namespaceOf(workload), workload)
  redis.call('HDEL', root .. ':windows', workload)
  redis.call('SREM', root .. ':unpublished', workload)
end
local function forgetRecords(workload)
  redis.call('HDEL', root .. ':noted', workload, 'held ' .. workload)
  redis.call('HDEL', root .. ':seen', workload)
  redis.call('SREM', root .. ':unlooked', workload)
end
`;

/** Which event to store with an entry that differs from the previous one: see `IndexEntry`'s `seen`. */
const eventAfter = `
local function asksFor(entry)
  local asked = {}
  for _, source in ipairs(entry.s) do asked[#asked + 1] = source end
  for _, pattern in ipairs(entry.p or {}) do asked[#asked + 1] = cjson.encode(pattern) end
  return asked
end
local function sharesInterest(one, other)
  local asked = {}
  for _, item in ipairs(asksFor(other)) do asked[item] = true end
  for _, item in ipairs(asksFor(one)) do
    if asked[item] then return true end
  end
  return false
end
-- All of it but the generation in its scope and the window.
local function interestOf(entry)
  local scope = string.gsub(entry.k or '', '%[%d+,%[', '[0,[')
  return cjson.encode({ asksFor(entry), scope })
end
local function uidOf(event)
  return string.match(event, '^%["[^"]*"')
end
local function eventAfter(old, stored, entry, seen)
  if not old or not sharesInterest(old, entry) then return seen end
  if not stored then return interestOf(old) == interestOf(entry) and '' or seen end
  return (seen == '' or uidOf(seen) == uidOf(stored)) and stored or seen
end
`;

/**
 * ARGV: epoch, then triples (workload key, encoded entry, the event that shows it or ''). Returns the positions (1-based) of entries that are new
 * or different, and of earlier such entries that are not published yet.
 */
export const putScript = new Script(`${checkEpoch}${eventAfter}
local changed = {}
for i = 2, #ARGV, 3 do
  local workload, text, seen = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local old = redis.call('HGET', root .. ':workloads', workload)
  if old ~= text then
    if old then unlink(workload, old) end
    local entry = cjson.decode(text)
    for _, source in ipairs(entry.s) do
      link(workload, source)
    end
    if entry.p and #entry.p > 0 then
      redis.call('HSET', root .. ':patterns:' .. namespaceOf(workload), workload, cjson.encode(entry.p))
    end
    if entry.w then
      redis.call('HSET', root .. ':windows', workload, cjson.encode(entry.w))
    end
    redis.call('HSET', root .. ':workloads', workload, text)
    redis.call('SADD', root .. ':unpublished', workload)
    redis.call('SADD', root .. ':unlooked', workload)
    local stored = old and redis.call('HGET', root .. ':seen', workload)
    local event = eventAfter(old and cjson.decode(old), stored, entry, seen)
    if event == '' then
      redis.call('HDEL', root .. ':seen', workload)
    else
      redis.call('HSET', root .. ':seen', workload, event)
    end
  end
  if redis.call('SISMEMBER', root .. ':unpublished', workload) == 1 then
    changed[#changed + 1] = (i + 1) / 3
  end
end
return changed
`);

/** ARGV: epoch, then workload keys. */
export const removeScript = new Script(`${checkEpoch}
for i = 2, #ARGV do
  local old = redis.call('HGET', root .. ':workloads', ARGV[i])
  if old then
    unlink(ARGV[i], old)
    redis.call('HDEL', root .. ':workloads', ARGV[i])
    forgetRecords(ARGV[i])
  end
end
return 0
`);

/** ARGV: epoch, then workload keys. The requests of their entries are in the queue. */
export const markPublishedScript = new Script(`${checkEpoch}
for i = 2, #ARGV do
  redis.call('SREM', root .. ':unpublished', ARGV[i])
end
return 0
`);

/**
 * ARGV: epoch, then quadruples (kind, namespace, name, resourceVersion). Returns two lists. The first has one item for each source whose version
 * differs from the handled one and that is referenced or lies in a namespace with name patterns: {position, {workload, window…}, 1 when no
 * version was handled}. The second has one item for each namespace of these sources: {namespace, {workload, window, patterns…}}. It has the
 * patterns once per namespace: a workload may have hundreds of them, and a page hundreds of sources.
 */
export const findChangedScript = new Script(`${checkEpoch}
local found = {}
local patternsOf = {}
local asked = {}
for i = 2, #ARGV, 4 do
  local kind, namespace, name, version = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local dependents = dependentsOf(kind .. '/' .. namespace .. '/' .. name)
  local patterns = patternsOf[namespace]
  if patterns == nil then
    patterns = redis.call('HGETALL', root .. ':patterns:' .. namespace)
    patternsOf[namespace] = patterns
  end
  local handled = (#dependents > 0 or #patterns > 0)
    and redis.call('HGET', root .. ':handled:' .. kind, namespace .. '/' .. name)
  if (#dependents > 0 or #patterns > 0) and handled ~= version then
    local named = {}
    for _, workload in ipairs(dependents) do
      named[#named + 1] = workload
      named[#named + 1] = redis.call('HGET', root .. ':windows', workload) or ''
    end
    if #patterns > 0 then asked[namespace] = patterns end
    found[#found + 1] = { (i + 2) / 4, named, (handled == false or handled == 'expected') and 1 or 0 }
  end
end
local withPatterns = {}
for namespace, patterns in pairs(asked) do
  local workloads = {}
  for j = 1, #patterns, 2 do
    workloads[#workloads + 1] = patterns[j]
    workloads[#workloads + 1] = redis.call('HGET', root .. ':windows', patterns[j]) or ''
    workloads[#workloads + 1] = patterns[j + 1]
  end
  withPatterns[#withPatterns + 1] = { namespace, workloads }
end
return { found, withPatterns }
`);

/** ARGV: epoch, then quadruples (kind, namespace, name, resourceVersion). Writes their checkpoints. */
export const markHandledScript = new Script(`${checkEpoch}
for i = 2, #ARGV, 4 do
  redis.call('HSET', root .. ':handled:' .. ARGV[i], ARGV[i + 1] .. '/' .. ARGV[i + 2], ARGV[i + 3])
end
return 0
`);

/** ARGV: epoch, then pairs (kind, `namespace/name`). Writes a checkpoint without a version, unless there is one. */
export const expectScript = new Script(`${checkEpoch}
for i = 2, #ARGV, 2 do
  redis.call('HSETNX', root .. ':handled:' .. ARGV[i], ARGV[i + 1], 'expected')
end
return 0
`);
