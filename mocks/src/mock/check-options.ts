import { checkLimits } from './check-limits.ts'
import { checkSeed } from './check-seed.ts'
import { momentOf } from './clock.ts'
import { assertKnownKeys, keysOf } from './known-keys.ts'
import type { MockKeys, MockOptions } from './options.ts'
import { checkOrigin } from './origin.ts'

const OPTIONS = keysOf<MockOptions>({
  seed: 1,
  startAt: 1,
  autoAdvance: 1,
  clock: 1,
  limits: 1,
  keys: 1,
  allowedOrigins: 1,
  trustProxy: 1,
  origin: 1,
})

/**
 * Refuses options that cannot work, before anything is made of them.
 * @throws TypeError or RangeError that names the option
 */
export function checkOptions(options: MockOptions): void {
  assertKnownKeys('createMock()', options, OPTIONS)
  const { seed = {}, startAt, autoAdvance = false, clock, limits = {}, keys = {}, trustProxy = 0, origin } = options
  checkSeed(seed)
  checkLimits(limits)
  checkAllowedOrigins(options.allowedOrigins)
  if (origin !== undefined) checkOrigin(origin)
  if (startAt !== undefined) checkStart(startAt)
  if (typeof autoAdvance !== 'boolean') throw new TypeError('autoAdvance must be true or false.')
  if (clock !== undefined && typeof clock?.now !== 'function') {
    throw new TypeError('clock must be an object with a function now() that returns unix milliseconds.')
  }
  assertKnownKeys('keys', keys, keysOf<MockKeys>({ master: 1 }))
  const { master = 'none' } = keys
  if (typeof master !== 'string' || master === '') throw new TypeError('keys.master must be a non-empty string.')
  if (!(Number.isSafeInteger(trustProxy) && trustProxy >= 0)) {
    throw new RangeError('trustProxy is how many proxies are trusted, a whole number from 0 on.')
  }
}

/** @throws TypeError when it is no list of origins */
function checkAllowedOrigins(origins: unknown = []): void {
  if (!Array.isArray(origins)) throw new TypeError("allowedOrigins must be a list, such as ['https://page.test'].")
  for (const origin of origins) checkOrigin(origin, 'allowedOrigins')
}

function checkStart(startAt: unknown): void {
  const isMoment = typeof startAt === 'number' || startAt instanceof Date
  if (!isMoment) throw new TypeError('startAt must be a Date, or unix time in milliseconds.')
  momentOf(startAt, 'startAt')
}
