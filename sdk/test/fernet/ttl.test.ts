import { isWithinTtl } from '@fish-crab/sdk/fernet'
import { describe, expect, test } from 'vitest'
import { IMPLEMENTATIONS, invalidToken, KEY, NOW, OTHER_KEY } from './implementations.ts'
import own from './vectors/own.json' with { type: 'json' }

const made = BigInt(NOW / 1000)
const expired = { name: 'FernetError', code: 'token_expired' }

test.each([
  ['of the current second is accepted', 0, 0, true],
  ['as old as the TTL is accepted', 60, 60_000, true],
  ['older than the TTL by part of a second is accepted', 60, 60_999, true],
  ['a second older than the TTL is rejected', 60, 61_000, false],
  ['a second old is rejected with a TTL of 0', 0, 1_000, false],
  ['60 s ahead of the clock is accepted', 60, -60_000, true],
  ['slightly more than 60 s ahead of the clock is rejected', 60, -60_001, false],
  ['61 s ahead of the clock is rejected', 60, -61_000, false],
  ['slightly more than 59 s ahead of the clock is accepted', 60, -59_001, true],
])('a token %s', (_, ttlSeconds, later, good) => {
  expect(isWithinTtl(made, { ttlSeconds, now: NOW + later })).toBe(good)
})

test('timestamps of 64 bits are compared exactly', () => {
  expect(isWithinTtl(2n ** 64n - 1n, { ttlSeconds: 60, now: NOW })).toBe(false)
  expect(isWithinTtl(2n ** 63n, { ttlSeconds: 60, now: 2 ** 63 * 1000 })).toBe(true)
  expect(isWithinTtl(0n, { ttlSeconds: Number.MAX_SAFE_INTEGER, now: NOW })).toBe(true)
  expect(isWithinTtl(0n, { ttlSeconds: 0, now: 0 })).toBe(true)
})

test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('a TTL of %s is rejected', (ttlSeconds) => {
  expect(() => isWithinTtl(made, { ttlSeconds, now: NOW })).toThrow(RangeError)
})

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('a clock at %s is rejected', (now) => {
  expect(() => isWithinTtl(made, { ttlSeconds: 60, now })).toThrow(RangeError)
})

describe.each(IMPLEMENTATIONS)('on $platform', ({ create }) => {
  test('without a TTL, a token is accepted regardless of its timestamp and of the clock', async () => {
    for (const { key, token } of own.tokens) {
      await expect(create(key).decrypt(token, { now: 0 })).resolves.toBeDefined()
    }
  })

  test('a TTL rejects tokens that are too old or in the future, compared with the given time or the clock', async () => {
    const fernet = create(KEY, { now: () => NOW + 61_000 })
    const token = await fernet.encrypt('fish', { now: NOW })
    await expect(fernet.decrypt(token, { ttlSeconds: 60 })).rejects.toMatchObject(expired)
    await expect(fernet.decrypt(token, { ttlSeconds: 61 })).resolves.toBeDefined()
    await expect(fernet.decrypt(token, { ttlSeconds: 60, now: NOW })).resolves.toBeDefined()
    await expect(fernet.decrypt(token, { ttlSeconds: 60, now: NOW - 61_000 })).rejects.toMatchObject(expired)
  })

  test('token_expired is reported only for tokens with a valid MAC', async () => {
    const token = await create(OTHER_KEY).encrypt('fish', { now: NOW })
    const opening = create(KEY).decrypt(token, { ttlSeconds: 60, now: NOW + 999_000 })
    await expect(opening).rejects.toMatchObject(invalidToken)
  })

  test('an invalid TTL is rejected even with an invalid token', async () => {
    await expect(create(KEY).decrypt('junk', { ttlSeconds: -1 })).rejects.toThrow(RangeError)
  })
})
