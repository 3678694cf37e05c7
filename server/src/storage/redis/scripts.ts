import { MAX_DAYS, MAX_SPECIES } from '../core/types.ts'
import { CHANGES_CHANNEL } from './keys.ts'

/**
 * Lets a script write to a full Redis, which rejects a script only if its first write command could use memory. The key
 * never exists. Without this command, catches that fill Redis would lock out administrators, and nobody could delete
 * data.
 */
const EVEN_IF_FULL = "redis.call('UNLINK', KEYS[1] .. ':none')"

/**
 * The common part of scripts that change records. `sign` is 1 for an added record and -1 for a removed record. The
 * tallies of a bucket are the sums of its owners. Scores are negative, so that owners with equal counts are ordered by
 * id. Because of `pcall`, a Redis user who lacks the permission to publish can still write, but the writes send no
 * signals.
 */
const RECORDS = `
local function signal(...)
  redis.pcall('PUBLISH', '${CHANGES_CHANNEL}', cjson.encode({...}))
end
local function add(key, field, by)
  if redis.call('HINCRBY', key, field, by) == 0 then redis.call('HDEL', key, field) end
end
local function rank(key, owner, by)
  if tonumber(redis.call('ZINCRBY', key, -by, owner)) == 0 then redis.call('ZREM', key, owner) end
end
local function tally(own, all, ofKind, ofCollection, collection, owner, sign, fields)
  local count, labels = sign * tonumber(fields[2]), fields[6]
  for _, key in ipairs({own, all}) do
    add(key, collection .. ':', count)
    for label, carriers in string.gmatch(labels, '(%S+) (%d+)') do add(key, collection .. ':' .. label, sign * carriers) end
  end
  rank(ofKind, owner, count)
  rank(ofCollection, owner, count)
end
local function store(about, records, ids, collection, id, version, fields)
  -- The sequences of all collections of an owner form one order.
  local sequence = string.format('%.0f', redis.call('HINCRBY', about, 'sequence', 1))
  redis.call('HSET', about, 'sequence:' .. collection, sequence)
  redis.call('XADD', records, sequence .. '-0', unpack(fields))
  redis.call('HSET', about, 'version:' .. collection, version)
  redis.call('HSET', ids, id, sequence)
end
local function find(records, ids, id)
  local sequence = redis.call('HGET', ids, id)
  return sequence and redis.call('XRANGE', records, sequence .. '-0', sequence .. '-0')[1]
end
local function remove(about, records, ids, collection, id, version, record)
  redis.call('XDEL', records, record[1])
  redis.call('HDEL', ids, id)
  redis.call('HDEL', about, 'tallies:' .. collection)
  redis.call('HSET', about, 'version:' .. collection, version)
end
`

/**
 * Makes a script fail before its first command if the user lacks the permission for any command: Redis does not undo a
 * script that failed midway. Redis checks declared keys by itself. Before version 7, commands cannot be checked.
 */
function changing(lua: string): string {
  return `
if redis.acl_check_cmd then
  for _, command in ipairs({${commandsOf(lua).map((command) => `'${command}'`)}}) do
    if not redis.acl_check_cmd(command, KEYS[1]) then return redis.error_reply('NOPERM the user may not use ' .. command) end
  end
end
${lua}`
}

function commandsOf(lua: string): readonly string[] {
  return [...new Set(lua.match(/(?<=redis\.call\(')\w+/g))]
}

/** Atomic Lua scripts. Once Redis knows a script, the client runs the script by its hash. */
export const SCRIPTS = {
  /**
   * KEYS: about, tokens, records, ids, tallies of the owner, tallies of the bucket, leaderboards of the kind and of the
   * collection, species, days. ARGV: collection, owner, '1' when there is a token, token, id, version, count, labels,
   * entries, number of species, then for each species its field, count, first and last time, then for each day its
   * field and count. Times stay text, because Lua would round some numbers. The species and days match the records
   * while the fields `version:` and `tallies:` of the collection are equal. Above the maximum, species and days are no
   * longer updated. A full Redis rejects the first write, so the script writes everything or nothing.
   */
  fishAppend: changing(`${RECORDS}
local collection, owner, hasToken, token, id, version = unpack(ARGV, 1, 6)
if redis.call('HEXISTS', KEYS[1], 'removed') == 1 then return {'owner_removed'} end
local first = hasToken == '1' and redis.call('HGET', KEYS[2], token)
if first then return {'replayed', first} end
local versions = redis.call('HMGET', KEYS[1], 'version:' .. collection, 'tallies:' .. collection)
local fields = {'count', ARGV[7], 'entries', ARGV[9], 'labels', ARGV[8], 'id', id}
store(KEYS[1], KEYS[3], KEYS[4], collection, id, version, fields)
if hasToken == '1' then redis.call('HSET', KEYS[2], token, id) end
tally(KEYS[5], KEYS[6], KEYS[7], KEYS[8], collection, owner, 1, fields)
if versions[1] == versions[2] then
  local firstDay = 11 + 4 * ARGV[10]
  if redis.call('HLEN', KEYS[9]) <= ${MAX_SPECIES} then
    for at = 11, firstDay - 1, 4 do
      local species, many, first, last = unpack(ARGV, at, at + 3)
      local known = redis.call('HGET', KEYS[9], species)
      if known then
        local before, earliest, latest = string.match(known, '^(%S+) (%S+) (%S+)$')
        many = string.format('%.0f', many + before)
        if tonumber(earliest) < tonumber(first) then first = earliest end
        if tonumber(latest) > tonumber(last) then last = latest end
      end
      redis.call('HSET', KEYS[9], species, many .. ' ' .. first .. ' ' .. last)
    end
  end
  if redis.call('HLEN', KEYS[10]) <= ${MAX_DAYS} then
    for at = firstDay, #ARGV, 2 do redis.call('HINCRBY', KEYS[10], ARGV[at], ARGV[at + 1]) end
  end
  redis.call('HSET', KEYS[1], 'tallies:' .. collection, version)
end
signal(collection, owner)
return {'stored', id}`),

  /** KEYS: tokens. ARGV: token. Returns the id of the record with this token, if any. */
  fishFindRecord: "return redis.call('HGET', KEYS[1], ARGV[1])",

  /**
   * KEYS: about, records, ids, tallies of the owner, tallies of the bucket, leaderboards of the kind and of the collection.
   * ARGV: collection, owner, id, version. Returns the number of entries of the record and the entries, or nothing if the
   * record does not exist.
   */
  fishRemoveRecord: changing(`${RECORDS}
local collection, owner, id, version = unpack(ARGV)
local record = find(KEYS[2], KEYS[3], id)
if not record then return {} end
${EVEN_IF_FULL}
remove(KEYS[1], KEYS[2], KEYS[3], collection, id, version, record)
tally(KEYS[4], KEYS[5], KEYS[6], KEYS[7], collection, owner, -1, record[2])
signal(collection, owner, id)
return {record[2][2], record[2][4]}`),

  /**
   * KEYS: about, records and ids of the old collection, records and ids of the new collection, tallies of the owner,
   * tallies of the bucket, leaderboards of the kind, of the old collection and of the new collection. ARGV: old and new
   * collection, owner, id, new version of each collection. Returns the number of entries of the record, or 0 if the
   * record is in neither collection. A full Redis rejects the first write.
   */
  fishMoveRecord: changing(`${RECORDS}
local from, to, owner, id, fromVersion, toVersion = unpack(ARGV)
local record = find(KEYS[2], KEYS[3], id)
if not record then
  local moved = find(KEYS[4], KEYS[5], id)
  return moved and tonumber(moved[2][2]) or 0
end
store(KEYS[1], KEYS[4], KEYS[5], to, id, toVersion, record[2])
redis.call('HDEL', KEYS[1], 'tallies:' .. to)
remove(KEYS[1], KEYS[2], KEYS[3], from, id, fromVersion, record)
tally(KEYS[6], KEYS[7], KEYS[8], KEYS[9], from, owner, -1, record[2])
tally(KEYS[6], KEYS[7], KEYS[8], KEYS[10], to, owner, 1, record[2])
signal(from, owner, id)
signal(to, owner)
return tonumber(record[2][2])`),

  /**
   * KEYS: about, tokens, tallies of the owner, tallies of the bucket. ARGV: owner, prefix of its keys, prefix of the
   * leaderboards. The script also removes keys of collections, which are not declared. These keys are on the same node,
   * except while a slot moves: then the script fails. Unlike the other scripts, this script can be repeated after a
   * failure at any point.
   */
  fishRemoveOwner: changing(`${RECORDS}
local owner, prefix, leaders = unpack(ARGV)
${EVEN_IF_FULL}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  local collection = string.match(field, '^sequence:(.*)$')
  if collection then
    for _, name in ipairs({'records:', 'ids:', 'species:', 'days:'}) do redis.call('UNLINK', prefix .. name .. collection) end
    redis.call('ZREM', leaders .. collection, owner)
    redis.call('ZREM', leaders .. string.match(collection, '^[^:]*'), owner)
  end
end
local sums = redis.call('HGETALL', KEYS[3])
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
for at = 1, #sums, 2 do add(KEYS[4], sums[at], -sums[at + 1]) end
redis.call('HSET', KEYS[1], 'removed', '1')
signal('', owner)`),

  /**
   * KEYS: about, species, days. ARGV: collection. Returns fields and values of the species and of the days, or nothing
   * if these tallies do not match the records.
   */
  fishCollectionTallies: `
local versions = redis.call('HMGET', KEYS[1], 'version:' .. ARGV[1], 'tallies:' .. ARGV[1])
return versions[1] == versions[2] and {redis.call('HGETALL', KEYS[2]), redis.call('HGETALL', KEYS[3])}`,

  /**
   * KEYS: about, species, days. ARGV: collection, the version of the counted records, number of species, then fields
   * and values of the species and of the days.
   */
  fishSetCollectionTallies: `
local collection, version = ARGV[1], ARGV[2]
if redis.call('HGET', KEYS[1], 'version:' .. collection) ~= version then return end
-- A full Redis rejects this first command. If Redis becomes full later, the tallies stay marked as invalid.
redis.call('HSET', KEYS[1], 'tallies:' .. collection, '')
redis.call('UNLINK', KEYS[2], KEYS[3])
local firstDay = 4 + 2 * ARGV[3]
for at = 4, #ARGV, 2 do redis.call('HSET', at < firstDay and KEYS[2] or KEYS[3], ARGV[at], ARGV[at + 1]) end
redis.call('HSET', KEYS[1], 'tallies:' .. collection, version)`,

  /**
   * KEYS: records. ARGV: first sequence, last stream id ('' for the newest), most records, most bytes, most entries.
   * Returns the last id, then sequence, id, count and text of each record. Reads one record at first, because the size
   * is unknown, and then as many records as fit at the average size so far.
   */
  fishRead: `
local last = ARGV[2]
if last == '' then
  local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  if not newest then return {'0-0'} end
  last = newest[1]
end
local left, bytes, entries = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local from, asked, taken, size = ARGV[1] .. '-0', 1, 0, 0
local answer = {last}
while left > taken do
  asked = math.min(asked, left - taken, entries)
  local found = redis.call('XRANGE', KEYS[1], from, last, 'COUNT', asked)
  for _, record in ipairs(found) do
    local sequence, count, text = string.match(record[1], '^%d+'), record[2][2], record[2][4]
    answer[#answer + 1] = sequence
    answer[#answer + 1] = record[2][8]
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

  /**
   * KEYS: item, index. ARGV: item key, value, condition (`always`, `absent`, or `equal` with the expected value as the
   * last argument). Returns 1 if the item was set. A full Redis rejects `absent`, which creates users and
   * administrators.
   */
  fishSetItem: changing(`
if ARGV[3] == 'absent' and redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
if ARGV[3] == 'equal' and redis.call('GET', KEYS[1]) ~= ARGV[4] then return 0 end
if ARGV[3] ~= 'absent' then ${EVEN_IF_FULL} end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
return 1`),

  /** KEYS: item, index. ARGV: item key, optionally the expected value. Returns 1 if the item was removed. */
  fishRemoveItem: changing(`
if ARGV[2] and redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
${EVEN_IF_FULL}
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('UNLINK', KEYS[1])`),

  /**
   * KEYS: index. ARGV: lower and upper bound, prefix of the items, most items, text to contain, position to search
   * from, limit of keys to read. Returns the lower bound of the next read ('' at the end), then key and value of each
   * item. The items are on the same node as the index.
   */
  fishListItems: `
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

  /**
   * KEYS: windows of one kind in a bucket. ARGV: field of the window, now, duration, limit, end of a window that opens
   * now, milliseconds to keep that window, maximum number of windows, 1 to count, -1 to revert or 0 to read. A window
   * is the text of its count, end and duration. An exhausted window is only read, so that a flood of one client causes
   * no writes.
   *
   * Once half of the capacity is used, opening a window also checks some other windows, and removes expired windows. At
   * full capacity, a window that is not exhausted is evicted. The field `hand` contains the position at which the last
   * check ended. Below half of the capacity, the script makes no such checks, because Redis stores small hashes in a
   * format that can only be read as a whole.
   */
  fishCount: `
local field, now, limit, by = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[4]), tonumber(ARGV[8])
local function open(text)
  local count, ends, duration = string.match(text, '^(%S+) (%S+) (%S+)$')
  local left = tonumber(ends) - now
  if left > 0 and left <= 2 * tonumber(duration) then return tonumber(count), ends, duration end
end
local kept = redis.call('HGET', KEYS[1], field)
if by ~= 0 then ${EVEN_IF_FULL} end
if kept then
  local count, ends, duration = open(kept)
  if count then
    if by == 0 then return {math.min(count, limit + 1), ends} end
    local after = by < 0 and math.min(count, limit) - 1 or math.max(count, math.min(count, limit) + 1)
    if after < 1 then redis.call('HDEL', KEYS[1], field)
    elseif after ~= count then
      redis.call('HSET', KEYS[1], field, string.format('%.0f %s %s', after, ends, duration))
    end
    return {math.min(after, limit + 1), ends}
  end
end
local size, most = redis.call('HLEN', KEYS[1]), tonumber(ARGV[7])
local hasRoom = kept or size < most
if by < 1 and hasRoom then return {0, ARGV[5]} end
local others = {'0', {}}
if size >= most / 2 then
  others = redis.call('HSCAN', KEYS[1], redis.call('HGET', KEYS[1], 'hand') or '0', 'COUNT', 10)
  if by == 1 then redis.call('HSET', KEYS[1], 'hand', others[1]) end
end
local unused, first
for at = 1, #others[2], 2 do
  local other = others[2][at]
  if other ~= 'hand' and other ~= field then
    local count, ends = open(others[2][at + 1])
    if not count then
      if by == 1 then redis.call('HDEL', KEYS[1], other) end
      hasRoom = true
    elseif count < limit then unused = other
    elseif not first or tonumber(ends) < tonumber(first) then first = ends end
  end
end
if by < 1 then
  if hasRoom or unused then return {0, ARGV[5]} end
  return {limit + 1, first or ARGV[5]}
end
if not hasRoom then
  if not unused then return {limit + 1, first or ARGV[5]} end
  redis.call('HDEL', KEYS[1], unused)
end
redis.call('HSET', KEYS[1], field, '1 ' .. ARGV[5] .. ' ' .. ARGV[3])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[6]) then redis.call('PEXPIRE', KEYS[1], ARGV[6]) end
return {1, ARGV[5]}`,

  /**
   * KEYS: probe. ARGV: lifetime of the probe in milliseconds, and a text that is as long as a large write, because
   * Redis counts the command itself when Redis checks whether its memory is full.
   */
  fishProbe: "return redis.call('SET', KEYS[1], '', 'PX', ARGV[1])",

  /**
   * KEYS: a key. ARGV: commands. Returns the commands that the user may not use on the key or that Redis does not have,
   * without running any command. Before version 7, Redis cannot check commands, so the result is empty.
   */
  fishForbidden: `
local forbidden = {}
if not redis.acl_check_cmd then return forbidden end
for _, command in ipairs(ARGV) do
  local isKnown, isAllowed = pcall(redis.acl_check_cmd, command, KEYS[1])
  if not (isKnown and isAllowed) then forbidden[#forbidden + 1] = command end
end
return forbidden`,
} as const

export type CallScript = (
  script: keyof typeof SCRIPTS,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>

export const SCRIPT_COMMANDS: readonly string[] = [...new Set(Object.values(SCRIPTS).flatMap(commandsOf))]

/** Splits a flat reply of Redis into rows of the same length. */
export function rowsOf<Row extends readonly string[]>(flat: readonly string[], length: Row['length']): Row[] {
  return Array.from({ length: Math.floor(flat.length / length) }, (_, row) => {
    return flat.slice(row * length, (row + 1) * length) as readonly string[] as Row
  })
}
