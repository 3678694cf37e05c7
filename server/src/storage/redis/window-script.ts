import type { Script } from './script.ts'

/**
 * KEYS: window. ARGV: now, duration, limit, end of a window that opens now, milliseconds to keep that window, 1 or -1.
 * An exhausted window is only read: a flood costs no writes.
 */
export const fishCount: Script = {
  numberOfKeys: 1,
  lua: `
local kept = redis.call('HMGET', KEYS[1], 'count', 'resetAt', 'durationMs')
if kept[1] then
  local left = tonumber(kept[2]) - tonumber(ARGV[1])
  if left > 0 and left <= 2 * tonumber(kept[3]) then
    if ARGV[6] == '-1' then
      local rest = math.min(tonumber(kept[1]), tonumber(ARGV[3])) - 1
      if rest > 0 then redis.call('HSET', KEYS[1], 'count', string.format('%.0f', rest)) else redis.call('DEL', KEYS[1]) end
      return {rest, kept[2]}
    end
    local count = math.min(tonumber(kept[1]) + 1, tonumber(ARGV[3]) + 1)
    if count ~= tonumber(kept[1]) then redis.call('HSET', KEYS[1], 'count', string.format('%.0f', count)) end
    return {count, kept[2]}
  end
end
if ARGV[6] == '-1' then return {0, ARGV[4]} end
redis.call('HSET', KEYS[1], 'count', '1', 'resetAt', ARGV[4], 'durationMs', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return {1, ARGV[4]}`,
}
