import type { Script } from './script.ts'

/**
 * KEYS: probe. ARGV: milliseconds to keep it, and as many bytes as a large write has: Redis counts the command itself
 * when it decides whether it is full.
 */
export const fishProbe: Script = {
  numberOfKeys: 1,
  lua: "return redis.call('SET', KEYS[1], '', 'PX', ARGV[1])",
}
