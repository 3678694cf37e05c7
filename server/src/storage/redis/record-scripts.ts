import type { Script } from './script.ts'

/**
 * Changes the tallies of a collection by a record; `sign` is 1 or -1. The bucket of an owner keeps the sums of all its
 * owners. Scores are negative: so owners with as many entries stand in the order of their ids.
 */
const TALLY = `
local function add(key, field, by)
  if redis.call('HINCRBY', key, field, by) == 0 then redis.call('HDEL', key, field) end
end
local function rank(key, owner, by)
  if tonumber(redis.call('ZINCRBY', key, -by, owner)) == 0 then redis.call('ZREM', key, owner) end
end
local function tally(own, all, leaders, collection, owner, sign, count, labels)
  add(own, collection .. ':', sign * count)
  add(all, collection .. ':', sign * count)
  for label, carriers in string.gmatch(labels, '(%S+) (%d+)') do
    add(own, collection .. ':' .. label, sign * carriers)
    add(all, collection .. ':' .. label, sign * carriers)
  end
  rank(leaders .. string.match(collection, '^[^:]*'), owner, sign * count)
  rank(leaders .. collection, owner, sign * count)
end
`

/**
 * KEYS: about, tokens, records, ids, tallies of the owner, tallies of the bucket. ARGV: collection, owner, prefix of
 * the leader boards, '1' when there is a token, token, id, count, labels, version, plain, full.
 * The first write is one that Redis refuses when it is full: it refuses all or nothing.
 */
export const fishAppend: Script = {
  numberOfKeys: 6,
  lua: `${TALLY}
local collection, owner, leaders, hasToken, token, id, count, labels = unpack(ARGV, 1, 8)
if redis.call('HEXISTS', KEYS[1], 'removed') == 1 then return {'owner_removed'} end
if hasToken == '1' then
  local first = redis.call('HGET', KEYS[2], token)
  if first then return {'replayed', first} end
end
local sequence = redis.call('HINCRBY', KEYS[1], 'sequence:' .. collection, 1)
redis.call('XADD', KEYS[3], string.format('%.0f-0', sequence),
  'count', count, 'plain', ARGV[10], 'full', ARGV[11], 'labels', labels)
redis.call('HSET', KEYS[1], 'version:' .. collection, ARGV[9])
redis.call('HSET', KEYS[4], id, sequence)
if hasToken == '1' then redis.call('HSET', KEYS[2], token, id) end
tally(KEYS[5], KEYS[6], leaders, collection, owner, 1, tonumber(count), labels)
return {'stored', id}, true`,
}

/** KEYS: tokens. ARGV: token. Answers the id of its record, if any. */
export const fishFindRecord: Script = {
  numberOfKeys: 1,
  lua: "return redis.call('HGET', KEYS[1], ARGV[1])",
}

/**
 * KEYS: about, records, ids, tallies of the owner, tallies of the bucket. ARGV: collection, owner, prefix of the
 * leader boards, id, version. Answers 1 when the record was there. Begins with what a full Redis still allows.
 */
export const fishRemoveRecord: Script = {
  numberOfKeys: 5,
  lua: `${TALLY}
local collection, owner, leaders, id, version = unpack(ARGV)
local sequence = redis.call('HGET', KEYS[3], id)
local record = sequence and redis.call('XRANGE', KEYS[2], sequence .. '-0', sequence .. '-0')[1]
if not record then return 0 end
redis.call('XDEL', KEYS[2], record[1])
redis.call('HDEL', KEYS[3], id)
redis.call('HSET', KEYS[1], 'version:' .. collection, version)
tally(KEYS[4], KEYS[5], leaders, collection, owner, -1, tonumber(record[2][2]), record[2][8])
return 1, true`,
}

/**
 * KEYS: about, tokens, tallies of the owner, tallies of the bucket. ARGV: owner, prefix of its keys, prefix of the
 * leader boards. The collections lie on the node of the declared keys.
 */
export const fishRemoveOwner: Script = {
  numberOfKeys: 4,
  lua: `${TALLY}
local owner, prefix, leaders = unpack(ARGV)
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  local collection = string.match(field, '^sequence:(.*)$')
  if collection then
    redis.call('UNLINK', prefix .. 'records:' .. collection, prefix .. 'ids:' .. collection)
    redis.call('ZREM', leaders .. collection, owner)
    redis.call('ZREM', leaders .. string.match(collection, '^[^:]*'), owner)
  end
end
local sums = redis.call('HGETALL', KEYS[3])
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
for at = 1, #sums, 2 do add(KEYS[4], sums[at], -sums[at + 1]) end
redis.call('HSET', KEYS[1], 'removed', '1')
return 1, true`,
}

/**
 * KEYS: records. ARGV: first sequence, last stream id ('' for the newest), place of the form among the fields,
 * most records, most bytes, most entries. Answers the last id, then sequence, count and text of each record.
 * Takes few at first, since their size is unknown, then as many as fit by the average so far.
 */
export const fishRead: Script = {
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
