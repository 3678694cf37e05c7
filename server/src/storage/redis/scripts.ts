/** A Lua script: atomic, and run by its hash once Redis knows it. */
interface Script {
  readonly numberOfKeys: number
  readonly lua: string
}

/**
 * KEYS: about, tokens, records. ARGV: collection, '1' when there is a token, token, id, count, plain, full.
 * The first write is the one that Redis refuses when it is full: it refuses all or nothing.
 */
const fishAppend: Script = {
  numberOfKeys: 3,
  lua: `
if redis.call('HEXISTS', KEYS[1], 'removed') == 1 then return {'owner_removed'} end
if ARGV[2] == '1' then
  local first = redis.call('HGET', KEYS[2], ARGV[3])
  if first then return {'replayed', first} end
end
local sequence = redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
redis.call('XADD', KEYS[3], string.format('%.0f-0', sequence),
  'count', ARGV[5], 'plain', ARGV[6], 'full', ARGV[7], 'id', ARGV[4])
if ARGV[2] == '1' then redis.call('HSET', KEYS[2], ARGV[3], ARGV[4]) end
return {'stored', ARGV[4]}`,
}

/**
 * KEYS: records. ARGV: first sequence, last stream id ('' for the newest), place of the form among the fields,
 * most records, most bytes, most entries. Answers the last id, then sequence, count and text of each record.
 * Takes few at first, since their size is unknown, then as many as fit by the average so far.
 */
const fishRead: Script = {
  numberOfKeys: 1,
  lua: `
local last = ARGV[2]
if last == '' then
  local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  if not newest then return {'0-0'} end
  last = newest[1]
end
local place = tonumber(ARGV[3])
local left, bytes, entries = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local from, asked, taken, size = ARGV[1] .. '-0', 8, 0, 0
local answer = {last}
while left > taken do
  asked = math.min(asked, left - taken)
  local found = redis.call('XRANGE', KEYS[1], from, last, 'COUNT', asked)
  for _, record in ipairs(found) do
    local sequence, count, text = string.match(record[1], '^%d+'), record[2][2], record[2][place]
    answer[#answer + 1] = sequence
    answer[#answer + 1] = count
    answer[#answer + 1] = text
    taken, size, entries = taken + 1, size + #text, entries - tonumber(count)
    if size >= bytes or entries <= 0 then return answer end
    from = string.format('%.0f-0', tonumber(sequence) + 1)
  end
  if #found < asked then return answer end
  asked = math.max(1, math.floor((bytes - size) / (size / taken + 1)))
end
return answer`,
}

/** KEYS: about, tokens. ARGV: prefix of the owner's keys. The collections share the node of the declared keys. */
const fishRemoveOwner: Script = {
  numberOfKeys: 2,
  lua: `
for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
  if name ~= 'removed' then redis.call('UNLINK', ARGV[1] .. name) end
end
redis.call('UNLINK', KEYS[1], KEYS[2])
redis.call('HSET', KEYS[1], 'removed', '1')
return 1`,
}

/**
 * KEYS: item, index. ARGV: item key, value, condition (`always`, `absent`, or `equal` to a last argument).
 * Answers 1 when it was set.
 */
const fishSetItem: Script = {
  numberOfKeys: 2,
  lua: `
if ARGV[3] == 'absent' and redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
if ARGV[3] == 'equal' and redis.call('GET', KEYS[1]) ~= ARGV[4] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
return 1`,
}

/** KEYS: item, index. ARGV: item key, then perhaps the value it must have. Answers 1 when it was removed. */
const fishRemoveItem: Script = {
  numberOfKeys: 2,
  lua: `
if ARGV[2] and redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('UNLINK', KEYS[1])`,
}

/**
 * KEYS: index. ARGV: lower and upper bound, prefix of the items, most items, text to contain, where to look from,
 * most keys to look at. Answers where to go on ('' at the end), then key and value of each item.
 * The items share the node of the index.
 */
const fishListItems: Script = {
  numberOfKeys: 1,
  lua: `
local from, limit, contains, behind, budget = ARGV[1], tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
local answer = {''}
while true do
  local asked = contains == '' and limit - (#answer - 1) / 2 or math.min(1000, budget)
  local keys = redis.call('ZRANGEBYLEX', KEYS[1], from, ARGV[2], 'LIMIT', 0, asked)
  for _, key in ipairs(keys) do
    if contains == '' or string.find(key, contains, behind, true) then
      local value = redis.call('GET', ARGV[3] .. key)
      if value then
        answer[#answer + 1] = key
        answer[#answer + 1] = value
      end
    end
    from = '(' .. key
    if (#answer - 1) / 2 >= limit then return answer end
  end
  budget = budget - #keys
  if #keys < asked then return answer end
  if budget <= 0 then
    answer[1] = from
    return answer
  end
end`,
}

/** KEYS: index. ARGV: lower and upper bound, prefix of the items, most items. Answers how many were removed. */
const fishClearItems: Script = {
  numberOfKeys: 1,
  lua: `
local keys = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[4])
for _, key in ipairs(keys) do
  redis.call('UNLINK', ARGV[3] .. key)
  redis.call('ZREM', KEYS[1], key)
end
return #keys`,
}

/**
 * KEYS: window. ARGV: now, duration, limit, end of a window that opens now, milliseconds to keep that window.
 * An exhausted window is only read: a flood costs no writes.
 */
const fishCount: Script = {
  numberOfKeys: 1,
  lua: `
local kept = redis.call('HMGET', KEYS[1], 'count', 'resetAt', 'durationMs')
if kept[1] then
  local left = tonumber(kept[2]) - tonumber(ARGV[1])
  if left > 0 and left <= 2 * tonumber(kept[3]) then
    local count = math.min(tonumber(kept[1]) + 1, tonumber(ARGV[3]) + 1)
    if count ~= tonumber(kept[1]) then redis.call('HSET', KEYS[1], 'count', string.format('%.0f', count)) end
    return {count, kept[2]}
  end
end
redis.call('HSET', KEYS[1], 'count', '1', 'resetAt', ARGV[4], 'durationMs', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return {1, ARGV[4]}`,
}

/** Every script by the name it is called with. */
export const SCRIPTS = {
  fishAppend,
  fishRead,
  fishRemoveOwner,
  fishSetItem,
  fishRemoveItem,
  fishListItems,
  fishClearItems,
  fishCount,
} as const

/** Name of a script. */
export type ScriptName = keyof typeof SCRIPTS
