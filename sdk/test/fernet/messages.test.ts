import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { IMPLEMENTATIONS, KEY, NOW, ON_NODE, ON_WEB_CRYPTO, raw, text } from './implementations.ts'

const lengths = Array.from({ length: 49 }, (_, length) => length)
const patterned = (length: number) => Uint8Array.from({ length }, (_, at) => (at * 37 + length) & 0xff)

describe.each(IMPLEMENTATIONS)('on $platform', ({ create }) => {
  test('every message of 0 to 48 bytes survives a round trip', async () => {
    const fernet = create(KEY)
    for (const length of lengths) {
      const token = await fernet.encrypt(patterned(length))
      expect(raw(token)).toHaveLength(57 + 16 * (Math.floor(length / 16) + 1))
      expect((await fernet.decrypt(token)).message).toEqual(patterned(length))
    }
  })

  test('any text survives a round trip as UTF-8', async () => {
    const fernet = create(KEY)
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 60 }), async (message) => {
        expect(text((await fernet.decrypt(await fernet.encrypt(message))).message)).toBe(message)
      }),
      { numRuns: 50 },
    )
  })

  test('a message of 256 KiB survives a round trip', async () => {
    const fernet = create(KEY)
    const message = patterned(256 * 1024)
    const opened = await fernet.decrypt(await fernet.encrypt(message))
    expect(Buffer.compare(opened.message, message)).toBe(0)
  })

  test('two tokens for one message differ, because the IVs of the tokens differ', async () => {
    const fernet = create(KEY, { now: () => NOW })
    const tokens = await Promise.all(Array.from({ length: 50 }, () => fernet.encrypt('fish')))
    expect(new Set(tokens.map((token) => Buffer.from(raw(token).subarray(9, 25)).toString('hex'))).size).toBe(50)
  })

  test('the token contains the given time, or the time of the clock, in whole seconds', async () => {
    const fernet = create(KEY, { now: () => NOW + 999 })
    expect((await fernet.decrypt(await fernet.encrypt(''))).timestamp).toBe(BigInt(NOW / 1000))
    expect((await fernet.decrypt(await fernet.encrypt('', { now: 5_999 }))).timestamp).toBe(5n)
  })

  test('overwriting the buffers of the caller while encrypt() or decrypt() runs does not affect the result', async () => {
    const fernet = create(KEY)
    const message = patterned(20)
    const iv = patterned(16)
    const encrypting = fernet.encrypt(message, { iv })
    message.fill(0)
    iv.fill(0)
    const token = raw(await encrypting)
    expect(token.subarray(9, 25)).toEqual(patterned(16))
    const handed = Buffer.from(token)
    const decrypting = fernet.decrypt(handed)
    handed.fill(0)
    const opened = await decrypting
    expect(opened.message).toEqual(patterned(20))
    expect(opened.mac).toEqual(token.slice(-32))
  })

  test('an IV that is not 16 bytes long and a time out of range are rejected', async () => {
    const fernet = create(KEY)
    await expect(fernet.encrypt('', { iv: new Uint8Array(15) })).rejects.toThrow(RangeError)
    for (const now of [-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 64 * 1000]) {
      await expect(fernet.encrypt('', { now })).rejects.toThrow(RangeError)
    }
  })
})

test('both implementations create the same token from the same input, and decrypt the token to the same message', async () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
  await fc.assert(
    fc.asyncProperty(
      bytes(32),
      bytes(16),
      fc.uint8Array({ maxLength: 100 }),
      fc.nat(),
      async (key, iv, message, now) => {
        const secret = Buffer.from(key).toString('base64url')
        const [node, web] = [ON_NODE.create(secret), ON_WEB_CRYPTO.create(secret)]
        const token = await node.encrypt(message, { iv, now })
        expect(await web.encrypt(message, { iv, now })).toBe(token)
        const opened = await web.decrypt(token)
        expect(opened.message).toEqual(message)
        expect(opened).toEqual(await node.decrypt(token))
      },
    ),
    { numRuns: 100 },
  )
})
