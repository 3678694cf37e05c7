import type { Script } from './script.ts'

/**
 * KEYS: item, index. ARGV: item key, value, condition (`always`, `absent`, or `equal` to a last argument).
 * Answers 1 when it was set.
 */
export const fishSetItem: Script = {
  numberOfKeys: 2,
  lua: `
if ARGV[3] == 'absent' and redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
if ARGV[3] == 'equal' and redis.call('GET', KEYS[1]) ~= ARGV[4] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
return 1, true`,
}

/** KEYS: item, index. ARGV: item key, then perhaps the value it must have. Answers 1 when it was removed. */
export const fishRemoveItem: Script = {
  numberOfKeys: 2,
  lua: `
if ARGV[2] and redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
local removed = redis.call('UNLINK', KEYS[1])
return removed, removed == 1`,
}

/**
 * KEYS: index. ARGV: lower and upper bound, prefix of the items, most items, text to contain, where to look from,
 * most keys to look at. Answers where to go on ('' at the end), then key and value of each item.
 * The items share the node of the index.
 */
export const fishListItems: Script = {
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
export const fishClearItems: Script = {
  numberOfKeys: 1,
  lua: `
local keys = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[4])
for _, key in ipairs(keys) do
  redis.call('UNLINK', ARGV[3] .. key)
  redis.call('ZREM', KEYS[1], key)
end
return #keys, #keys > 0`,
}
