import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { forgeToken } from './forge.ts'
import { base64Url, IMPLEMENTATIONS, invalidToken, KEY, OTHER_KEY, raw, text } from './implementations.ts'

const MESSAGES = ['', 'sixteen bytes ok', '{"fish":"Salmon","rarity":3}']

describe.each(IMPLEMENTATIONS)('on $platform', ({ create }) => {
  const fernet = create(KEY)
  const refuses = (token: string | Uint8Array) => expect(fernet.decrypt(token)).rejects.toMatchObject(invalidToken)

  test.each(MESSAGES)('the token of "%s" with any flipped bit is rejected, raw and as text', async (message) => {
    const token = raw(await fernet.encrypt(message))
    for (let bit = 0; bit < token.length * 8; bit++) {
      const flipped = token.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
      await refuses(flipped)
      await refuses(base64Url(flipped))
    }
  })

  test.each(MESSAGES)('the token of "%s" with any flipped bit in its characters is rejected', async (message) => {
    const token = await fernet.encrypt(message)
    for (let bit = 0; bit < token.length * 8; bit++) {
      const chars = Buffer.from(token, 'latin1')
      chars.writeUInt8(chars.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      await refuses(chars.toString('latin1'))
    }
  })

  test.each(MESSAGES)('every truncation of the token of "%s" is rejected', async (message) => {
    const token = await fernet.encrypt(message)
    const bytes = raw(token)
    const unpadded = token.replace(/=+$/, '')
    for (let length = 0; length < bytes.length; length++) {
      await refuses(bytes.slice(0, length))
      await refuses(bytes.slice(bytes.length - length))
    }
    for (let length = 0; length < unpadded.length; length++) await refuses(token.slice(0, length))
    for (let start = 1; start <= token.length; start++) await refuses(token.slice(start))
  })

  test('a token with appended or prepended bytes is rejected, even if the bytes form whole blocks', async () => {
    const bytes = raw(await fernet.encrypt('fish'))
    for (const extra of [1, 2, 15, 16, 32, 48]) {
      await refuses(Uint8Array.from([...bytes, ...new Uint8Array(extra)]))
      await refuses(base64Url(Uint8Array.from([...bytes, ...new Uint8Array(extra)])))
      await refuses(Uint8Array.from([...bytes.slice(0, extra), ...bytes]))
    }
  })

  test('a token that was created with a different key is rejected', async () => {
    await refuses(await create(OTHER_KEY).encrypt('fish'))
  })

  test('a token is rejected if it was created with a key whose halves are swapped', async () => {
    const bytes = raw(KEY)
    const swapped = create(base64Url(Uint8Array.from([...bytes.slice(16), ...bytes.slice(0, 16)])))
    await refuses(await swapped.encrypt('fish'))
  })

  test('padding other than exact PKCS#7 is rejected, even with a valid MAC', async () => {
    const block = (...end: readonly number[]) => Uint8Array.from([...new Uint8Array(16 - end.length).fill(65), ...end])
    const good = await fernet.decrypt(forgeToken(KEY, block(3, 3, 3)))
    expect(text(good.message)).toBe('A'.repeat(13))
    await refuses(forgeToken(KEY, block(0)))
    await refuses(forgeToken(KEY, block(17)))
    await refuses(forgeToken(KEY, block(255)))
    await refuses(forgeToken(KEY, block(2, 3, 3)))
    await refuses(forgeToken(KEY, block(3, 2, 3)))
    await refuses(forgeToken(KEY, Uint8Array.from([15, ...new Array<number>(15).fill(16)])))
    await refuses(forgeToken(KEY, new Uint8Array(32)))
  })

  test('a first byte other than 0x80 and a token without ciphertext are rejected, even with a valid MAC', async () => {
    const block = new Uint8Array(16).fill(16)
    expect((await fernet.decrypt(forgeToken(KEY, block))).message).toHaveLength(0)
    for (const version of [0x00, 0x7f, 0x81, 0xff]) await refuses(forgeToken(KEY, block, version))
    await refuses(forgeToken(KEY, new Uint8Array(0)))
  })
})

test('signatures are compared in constant time on Node', async () => {
  const [create] = IMPLEMENTATIONS.filter(({ platform }) => platform === 'node:crypto').map((one) => one.create)
  const compare = vi.spyOn(crypto, 'timingSafeEqual')
  syncBuiltinESMExports()
  onTestFinished(() => {
    compare.mockRestore()
    syncBuiltinESMExports()
  })
  const token = await create?.(KEY).encrypt('a message')
  await create?.(KEY).decrypt(token ?? '')
  expect(compare).toHaveBeenCalledOnce()
})
