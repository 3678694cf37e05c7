import { MAX_SPECIES } from '../core/types.ts'
import { CHANGES_CHANNEL } from './keys.ts'

/**
 * Lets a script write to a full Redis, which rejects a script only if its first write command could use memory. The key
 * never exists. Without this command, catches that fill Redis would lock out administrators, and nobody could delete
 * data.
 */
const EVEN_IF_FULL = "redis.call('UNLINK', KEYS[1] .. ':none')"

/**
 * Reads of records. A script has these keys of a collection in a row: records, ids, reduced, species, days and leaderboard.
 * A record is a list of its sequence, id, count and entries. A stream cannot replace an entry, so a record that lost
 * entries is in the sorted set `reduced`, with its sequence as the score.
 */
const READS = `
local function keysFrom(first)
  local records, ids, reduced, species, days, leaders = unpack(KEYS, first, first + 5)
  return {records = records, ids = ids, reduced = reduced, species = species, days = days, leaders = leaders}
end
local function inStream(found) return {string.match(found[1], '^%d+'), found[2][2], found[2][4], found[2][6]} end
local function inReduced(text)
  local sequence, count, length, rest = string.match(text, '^(%d+) (%d+) (%d+) (.*)$')
  return {sequence, string.sub(rest, 1, length), count, string.sub(rest, length + 1)}
end
local function isBefore(one, other) return tonumber(one[1]) < tonumber(other[1]) end
local function find(keys, id)
  local sequence = redis.call('HGET', keys.ids, id)
  if not sequence then return end
  local found = redis.call('XRANGE', keys.records, sequence .. '-0', sequence .. '-0')[1]
  return found and inStream(found) or inReduced(redis.call('ZRANGEBYSCORE', keys.reduced, sequence, sequence)[1])
end
`

/**
 * The common part of scripts that change records. A script has these arguments from `first` on: the count of entries, the
 * counts of labels, the number of species, then for each species its field, count, first and last time, then for each day
 * and label the field and the count. `sign` is 1 for added entries and -1 for removed entries. The tallies of a bucket are
 * the sums of its owners. Scores are negative, so that owners with equal counts are ordered by id. Because of `pcall`, a
 * Redis user who lacks the permission to publish can still write, but the writes send no signals.
 *
 * A species is the text of its count, first time, last time and mark, each `-` if it is missing. Times stay text, because
 * Lua would round some numbers.
 */
const CHANGES = `${READS}
local about, own, all, ofKind = unpack(KEYS, 1, 4)
local function signal(...)
  redis.pcall('PUBLISH', '${CHANGES_CHANNEL}', cjson.encode({...}))
end
local function add(key, field, by)
  if redis.call('HINCRBY', key, field, by) == 0 then redis.call('HDEL', key, field) end
end
local function rank(key, owner, by)
  if tonumber(redis.call('ZINCRBY', key, -by, owner)) == 0 then redis.call('ZREM', key, owner) end
end
local function countSpecies(key, sign, mark, species, count, first, last)
  local known = redis.call('HGET', key, species) or '0 - - -'
  local before, earliest, latest, ownMark = string.match(known, '^(%S+) (%S+) (%S+) (%S+)$')
  if sign > 0 then
    if earliest == '-' or tonumber(first) < tonumber(earliest) then earliest = first end
    if latest == '-' or tonumber(last) > tonumber(latest) then latest = last end
  elseif ownMark ~= '-' or tonumber(first) <= tonumber(earliest) or tonumber(last) >= tonumber(latest) then
    earliest, latest, ownMark = '-', '-', mark
  end
  local sum = before + sign * count
  if sum <= 0 then redis.call('HDEL', key, species)
  else redis.call('HSET', key, species, string.format('%.0f %s %s %s', sum, earliest, latest, ownMark)) end
end
local function tally(keys, collection, owner, sign, first, mark)
  local total = sign * ARGV[first]
  for _, key in ipairs({own, all}) do
    add(key, collection .. ':', total)
    for label, count in string.gmatch(ARGV[first + 1], '(%S+) (%d+)') do add(key, collection .. ':' .. label, sign * count) end
  end
  rank(ofKind, owner, total)
  rank(keys.leaders, owner, total)
  local firstDay = first + 3 + 4 * ARGV[first + 2]
  for at = first + 3, firstDay - 1, 4 do countSpecies(keys.species, sign, mark, unpack(ARGV, at, at + 3)) end
  for at = firstDay, #ARGV, 2 do add(keys.days, ARGV[at], sign * ARGV[at + 1]) end
end
local function store(keys, collection, version, id, count, entries)
  -- The sequences of all collections of an owner form one order.
  local sequence = string.format('%.0f', redis.call('HINCRBY', about, 'sequence', 1))
  redis.call('HSET', about, 'sequence:' .. collection, sequence)
  redis.call('XADD', keys.records, sequence .. '-0', 'id', id, 'count', count, 'entries', entries)
  redis.call('HSET', about, 'version:' .. collection, version)
  redis.call('HSET', keys.ids, id, sequence)
end
local function remove(keys, collection, version, record)
  redis.call('XDEL', keys.records, record[1] .. '-0')
  redis.call('ZREMRANGEBYSCORE', keys.reduced, record[1], record[1])
  redis.call('HSET', about, 'version:' .. collection, version)
end
`

/**
 * Makes a script fail before its first command if the user lacks the permission for any command: Redis does not undo a
 * script that failed midway. Redis checks declared keys by itself.
 */
function changing(lua: string): string {
  return `
for _, command in ipairs({${commandsOf(lua).map((command) => `'${command}'`)}}) do
  if not redis.acl_check_cmd(command, KEYS[1]) then return redis.error_reply('NOPERM the user may not use ' .. command) end
end
${lua}`
}

function commandsOf(lua: string): readonly string[] {
  return [...new Set(lua.match(/(?<=redis\.call\(')\w+/g))]
}

/** Atomic Lua scripts. Once Redis knows a script, the client runs the script by its hash. */
export const SCRIPTS = {
  /**
   * KEYS: those of changes, collection, tokens. ARGV: collection, owner, '1' when there is a token, token, id, version,
   * entries, tally. A full Redis rejects the first write, so the script writes everything or nothing.
   */
  fishAppend: changing(`${CHANGES}
local keys, tokens = keysFrom(5), KEYS[11]
local collection, owner, hasToken, token, id, version, entries = unpack(ARGV, 1, 7)
if redis.call('HEXISTS', about, 'removed') == 1 then return {'owner_removed'} end
local first = hasToken == '1' and redis.call('HGET', tokens, token)
if first then return {'replayed', first} end
store(keys, collection, version, id, ARGV[8], entries)
if hasToken == '1' then redis.call('HSET', tokens, token, id) end
tally(keys, collection, owner, 1, 8)
signal(collection, owner)
return {'stored', id}`),

  /** KEYS: about, tokens. ARGV: token, id. Marks a token as used, unless its owner is removed. */
  fishUseToken: changing(`
if redis.call('HEXISTS', KEYS[1], 'removed') == 0 then redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2]) end`),

  /** KEYS: tokens. ARGV: token. Returns the id of the record with this token, if any. */
  fishFindRecord: "return redis.call('HGET', KEYS[1], ARGV[1])",

  /** KEYS: collection. ARGV: id. Returns the record with this id, if any. */
  fishFindById: `${READS}
return find(keysFrom(1), ARGV[1])`,

  /**
   * KEYS: those of changes, collection. ARGV: collection, owner, id, count of the record, version, mark, index of the removed
   * entry ('' for the whole record), count and text of the remaining entries, tally. Returns 1 if entries were removed.
   */
  fishRemoveEntries: changing(`${CHANGES}
local keys = keysFrom(5)
local collection, owner, id, count, version, mark, entry, remaining, entries = unpack(ARGV, 1, 9)
local record = find(keys, id)
if not record or record[3] ~= count then return 0 end
${EVEN_IF_FULL}
remove(keys, collection, version, record)
if entry == '' then
  redis.call('HDEL', keys.ids, id)
  signal(collection, owner, id)
else
  redis.call('ZADD', keys.reduced, record[1], string.format('%s %s %d ', record[1], remaining, #id) .. id .. entries)
  signal(collection, owner, id, tonumber(entry))
end
tally(keys, collection, owner, -1, 10, mark)
return 1`),

  /**
   * KEYS: those of changes, old collection, new collection. ARGV: old and new collection, owner, id, count of the record, new
   * version of each collection, mark, tally. Returns 1 if the record was moved. A full Redis rejects the first write.
   */
  fishMoveRecord: changing(`${CHANGES}
local from, to = keysFrom(5), keysFrom(11)
local fromName, toName, owner, id, count, fromVersion, toVersion, mark = unpack(ARGV, 1, 8)
local record = find(from, id)
if not record or record[3] ~= count then return 0 end
store(to, toName, toVersion, id, count, record[4])
remove(from, fromName, fromVersion, record)
redis.call('HDEL', from.ids, id)
tally(from, fromName, owner, -1, 9, mark)
tally(to, toName, owner, 1, 9)
signal(fromName, owner, id)
signal(toName, owner)
return 1`),

  /**
   * KEYS: about, tallies of the owner, tallies of the bucket, tokens. ARGV: owner, prefix of its keys, prefix of the
   * leaderboards. The script also removes keys of collections, which are not declared. These keys are on the same node,
   * except while a slot moves: then the script fails. Unlike the other scripts, this script can be repeated after a
   * failure at any point.
   */
  fishRemoveOwner: changing(`${CHANGES}
local owner, prefix, leaders = unpack(ARGV)
${EVEN_IF_FULL}
for _, field in ipairs(redis.call('HKEYS', about)) do
  local collection = string.match(field, '^sequence:(.*)$')
  if collection then
    for _, name in ipairs({'records:', 'ids:', 'reduced:', 'species:', 'days:'}) do
      redis.call('UNLINK', prefix .. name .. collection)
    end
    redis.call('ZREM', leaders .. collection, owner)
    redis.call('ZREM', leaders .. string.match(collection, '^[^:]*'), owner)
  end
end
local sums = redis.call('HGETALL', own)
redis.call('UNLINK', about, own, KEYS[4])
for at = 1, #sums, 2 do add(all, sums[at], -sums[at + 1]) end
redis.call('HSET', about, 'removed', '1')
signal('', owner)`),

  /**
   * KEYS: collection. ARGV: owner. Returns the negative of the count, fields and values of the species, or nothing if there
   * are too many, and fields and values of the days.
   */
  fishCollectionTallies: `${READS}
local keys = keysFrom(1)
local isComplete = redis.call('HLEN', keys.species) <= ${MAX_SPECIES}
local count = redis.call('ZSCORE', keys.leaders, ARGV[1]) or '0'
return {count, isComplete and redis.call('HGETALL', keys.species), redis.call('HGETALL', keys.days)}`,

  /** KEYS: species. ARGV: for each species its field, first time, last time and mark. */
  fishSetTimes: `
for at = 1, #ARGV, 4 do
  local species, first, last, mark = unpack(ARGV, at, at + 3)
  local known = redis.call('HGET', KEYS[1], species)
  local count, earliest, latest, ownMark = string.match(known or '', '^(%S+) (%S+) (%S+) (%S+)$')
  if ownMark == mark then
    if earliest == '-' or tonumber(first) < tonumber(earliest) then earliest = first end
    if latest == '-' or tonumber(last) > tonumber(latest) then latest = last end
    redis.call('HSET', KEYS[1], species, string.format('%s %s %s -', count, earliest, latest))
  end
end`,

  /**
   * KEYS: collection. ARGV: first sequence, last sequence ('' for the newest), most records, most bytes, most entries.
   * Returns the last sequence, then sequence, id, count and text of each record. Reads one record at first, because the size
   * is unknown, and then as many records as fit at the average size so far.
   */
  fishRead: `${READS}
local keys = keysFrom(1)
local from, last = tonumber(ARGV[1]), tonumber(ARGV[2])
if not last then
  local newest = redis.call('XREVRANGE', keys.records, '+', '-', 'COUNT', 1)[1]
  local reduced = redis.call('ZREVRANGEBYSCORE', keys.reduced, '+inf', '-inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
  last = math.max(newest and tonumber(string.match(newest[1], '^%d+')) or 0, tonumber(reduced or 0))
end
local left, bytes, entries = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local asked, taken, size = 1, 0, 0
local reply = {string.format('%.0f', last)}
local function take(record)
  for _, part in ipairs(record) do reply[#reply + 1] = part end
  taken, size, entries = taken + 1, size + #record[4], entries - record[3]
  from = record[1] + 1
  return size >= bytes or entries <= 0 or taken >= left
end
while true do
  asked = math.min(asked, left - taken, entries)
  local first, limit = string.format('%.0f', from), string.format('%.0f', last)
  local found = redis.call('XRANGE', keys.records, first, limit, 'COUNT', asked)
  local reduced = redis.call('ZRANGEBYSCORE', keys.reduced, first, limit, 'LIMIT', 0, asked)
  -- Both lists are sorted, so the first records of both are among the first records of each.
  local records = {}
  for _, one in ipairs(found) do records[#records + 1] = inStream(one) end
  for _, one in ipairs(reduced) do records[#records + 1] = inReduced(one) end
  if #reduced > 0 then table.sort(records, isBefore) end
  for at = 1, math.min(#records, asked) do
    if take(records[at]) then return reply end
  end
  if #records < asked then return reply end
  asked = math.max(1, math.floor((bytes - size) / (size / taken + 1)))
end`,

  /** KEYS: collection. ARGV: most records. Returns sequence, id, count and text of the last records, the newest first. */
  fishLatest: `${READS}
local keys = keysFrom(1)
local records = {}
for _, found in ipairs(redis.call('XREVRANGE', keys.records, '+', '-', 'COUNT', ARGV[1])) do
  records[#records + 1] = inStream(found)
end
for _, text in ipairs(redis.call('ZREVRANGEBYSCORE', keys.reduced, '+inf', '-inf', 'LIMIT', 0, ARGV[1])) do
  records[#records + 1] = inReduced(text)
end
table.sort(records, function(one, other) return isBefore(other, one) end)
local reply = {}
for at = 1, math.min(#records, ARGV[1]) do
  for _, part in ipairs(records[at]) do reply[#reply + 1] = part end
end
return reply`,

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
   * no writes. Opening a window also checks ten random windows: the script removes expired windows, and at full capacity
   * one that is not exhausted.
   */
  fishCount: `
local field, now, limit, most, by = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[4]), tonumber(ARGV[7]), tonumber(ARGV[8])
local function open(text)
  local count, ends, duration = string.match(text or '', '^(%S+) (%S+) (%S+)$')
  local left = ends and tonumber(ends) - now or 0
  if left > 0 and left <= 2 * tonumber(duration) then return tonumber(count), ends, duration end
end
local stored = redis.call('HGET', KEYS[1], field)
local count, ends, duration = open(stored)
if by ~= 0 then ${EVEN_IF_FULL} end
if not count then
  local hasRoom, first = stored or redis.call('HLEN', KEYS[1]) < most, ARGV[5]
  local others = redis.call('HRANDFIELD', KEYS[1], 10, 'WITHVALUES')
  for at = 1, #others, 2 do
    local used, otherEnds = open(others[at + 1])
    if not used or used < limit and not hasRoom then
      if by == 1 then redis.call('HDEL', KEYS[1], others[at]) end
      hasRoom = true
    elseif tonumber(otherEnds) < tonumber(first) then first = otherEnds end
  end
  if not hasRoom then return {limit + 1, first} end
  if by < 1 then return {0, ARGV[5]} end
  count, ends, duration = 0, ARGV[5], ARGV[3]
end
local within = math.min(count, limit)
local after = by < 0 and within - 1 or math.max(count, within + by)
if after < 1 then redis.call('HDEL', KEYS[1], field)
elseif after ~= count then
  redis.call('HSET', KEYS[1], field, string.format('%.0f %s %s', after, ends, duration))
  if count == 0 and redis.call('PTTL', KEYS[1]) < tonumber(ARGV[6]) then redis.call('PEXPIRE', KEYS[1], ARGV[6]) end
end
return {math.min(after, limit + 1), ends}`,

  /**
   * KEYS: probe. ARGV: lifetime of the probe in milliseconds, and a text that is as long as a large write, because
   * Redis counts the command itself when Redis checks whether its memory is full.
   */
  fishProbe: "return redis.call('SET', KEYS[1], '', 'PX', ARGV[1])",

  /**
   * KEYS: a key. ARGV: commands. Returns the commands that the user may not use on the key or that Redis does not have,
   * without running any command.
   */
  fishForbidden: `
local forbidden = {}
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
