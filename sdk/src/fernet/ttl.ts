const MAX_CLOCK_SKEW_SECONDS = 60n

/** When a token is judged, and how old it may be. */
export interface TtlRule {
  /** Greatest age in whole seconds, 0 or more. A token of exactly this age is still good. */
  readonly ttlSeconds: number
  /** Unix time in milliseconds. Parts of a second are dropped. */
  readonly now: number
}

/**
 * Whether a token of this timestamp is neither too old nor, by more than 60 s, from the future (Fernet specification,
 * "Verifying"). Counted in whole seconds, with the edges of pyca/cryptography: false when `timestamp + ttl < now` or
 * `now + 60 < timestamp`.
 *
 * @param timestamp The token's own, in unix seconds.
 * @throws RangeError when `ttlSeconds` is not a whole number from 0, or `now` is no time from 1970 on.
 * @example
 * isWithinTtl(1_000n, { ttlSeconds: 30, now: 1_030_999 }) // true
 * isWithinTtl(1_000n, { ttlSeconds: 30, now: 1_031_000 }) // false
 */
export function isWithinTtl(timestamp: bigint, { ttlSeconds, now }: TtlRule): boolean {
  if (!Number.isSafeInteger(ttlSeconds) || ttlSeconds < 0) {
    throw new RangeError('ttlSeconds must be a whole number of seconds, 0 or more.')
  }
  const seconds = unixSeconds(now)
  return timestamp + BigInt(ttlSeconds) >= seconds && seconds + MAX_CLOCK_SKEW_SECONDS >= timestamp
}

/** Unix milliseconds as whole unix seconds. Throws a RangeError for what a 64-bit timestamp cannot hold. */
export function unixSeconds(now: number): bigint {
  const seconds = Math.floor(now / 1000)
  if (!(seconds >= 0 && seconds < 2 ** 64)) throw new RangeError('now must be a unix time in milliseconds.')
  return BigInt(seconds)
}
