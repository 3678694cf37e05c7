import type { Script } from './script.ts'

/**
 * KEYS: windows of one kind in a bucket. ARGV: field of the window, now, duration, limit, end of a window that opens
 * now, milliseconds to keep that window, most windows, 1 to count, -1 to take back or 0 to look. A window is the text
 * of its count, end and duration. An exhausted one is only read: a flood of its client costs no writes.
 *
 * Once half of the room is taken, whoever opens a window looks at some others and removes those that are over; where
 * there is no room, one goes that has something left, never an exhausted one. The field `hand` is where the last look
 * ended. With fewer a look would cost more: Redis keeps small hashes in a form that it can only look through as a whole.
 */
export const fishCount: Script = {
  numberOfKeys: 1,
  lua: `
local field, now, limit, by = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[4]), tonumber(ARGV[8])
local function open(text)
  local count, ends, duration = string.match(text, '^(%S+) (%S+) (%S+)$')
  local left = tonumber(ends) - now
  if left > 0 and left <= 2 * tonumber(duration) then return tonumber(count), ends, duration end
end
local kept = redis.call('HGET', KEYS[1], field)
if kept then
  local count, ends, duration = open(kept)
  if count then
    if by == 0 then return {count, ends} end
    local after = by < 0 and math.min(count, limit) - 1 or math.min(count, limit) + 1
    if after < 1 then redis.call('HDEL', KEYS[1], field)
    elseif after ~= count then
      redis.call('HSET', KEYS[1], field, string.format('%.0f %s %s', after, ends, duration))
    end
    return {after, ends}
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
}
