import { describe, expect, test } from 'vitest'
import { IMPLEMENTATIONS, text } from './implementations.ts'
import generate from './vectors/generate.json' with { type: 'json' }
import invalid from './vectors/invalid.json' with { type: 'json' }
import own from './vectors/own.json' with { type: 'json' }
import verify from './vectors/verify.json' with { type: 'json' }

describe.each(IMPLEMENTATIONS)('the implementation on $platform', ({ create }) => {
  test.each(generate)('encrypts to the token of the specification: $src', async ({ secret, src, iv, now, token }) => {
    const made = await create(secret).encrypt(src, { iv: Uint8Array.from(iv), now: Date.parse(now) })
    expect(made).toBe(token)
  })

  test.each(verify)('decrypts the token of the specification: $src', async ({ secret, src, token, now, ttl_sec }) => {
    const opened = await create(secret).decrypt(token, { ttlSeconds: ttl_sec, now: Date.parse(now) })
    expect(text(opened.message)).toBe(src)
  })

  test.each(invalid)('rejects the invalid token of the specification: $desc', async (vector) => {
    const { desc, secret, token, now, ttl_sec } = vector
    const code = /TTL|future/.test(desc) ? 'token_expired' : 'invalid_token'
    const opening = create(secret).decrypt(token, { ttlSeconds: ttl_sec, now: Date.parse(now) })
    await expect(opening).rejects.toMatchObject({ name: 'FernetError', code })
  })

  test.each(own.tokens)('decrypts our test vector of time $timestamp', async ({ key, token, message, timestamp }) => {
    const opened = await create(key).decrypt(token)
    expect(Buffer.from(opened.message).toString('hex')).toBe(message)
    expect(opened.timestamp).toBe(BigInt(timestamp))
    expect(Buffer.from(opened.mac)).toEqual(Buffer.from(token, 'base64url').subarray(-32))
  })

  // JavaScript numbers cannot represent 2^53+1, 2^63-1 and 2^64-1, so a clock cannot return these times.
  const sayable = own.tokens.filter(({ timestamp }) => BigInt(Number(timestamp)) === BigInt(timestamp))

  test.each(sayable)(
    'encrypts to our test vector of time $timestamp if the IV of the vector is used',
    async (vector) => {
      const { key, token, message, timestamp, iv } = vector
      const made = create(key).encrypt(Buffer.from(message, 'hex'), {
        iv: Buffer.from(iv, 'hex'),
        now: Number(timestamp) * 1000,
      })
      await expect(made).resolves.toBe(token)
    },
  )
})

test('our test vectors cover times beyond 32 and 63 bits, and IVs other than the IV of the specification', () => {
  const times = own.tokens.map(({ timestamp }) => BigInt(timestamp))
  expect(times).toEqual(expect.arrayContaining([0n, 2n ** 32n, 2n ** 63n, 2n ** 64n - 1n]))
  expect(own.tokens.map(({ iv }) => iv)).not.toContain('000102030405060708090a0b0c0d0e0f')
})
