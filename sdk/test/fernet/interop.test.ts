import { generateFernetKey } from '@fish-crab/sdk/fernet'
import witness from 'fernet'
import { describe, expect, test } from 'vitest'
import { IMPLEMENTATIONS, KEY, NOW, text } from './implementations.ts'

const MESSAGES = ['fish', 'sixteen bytes ok', '{"fish":"Bronze Koi ’ §a 🐟","rarity":1}', 'x'.repeat(200)]

describe.each(IMPLEMENTATIONS)('the fernet package and our code on $platform', ({ create }) => {
  // A ttl of 0 allows any age; the default of the fernet package is 60 s.
  const options = (key: string) => ({ secret: new witness.Secret(key), ttl: 0 })

  test.each(MESSAGES)('the fernet package decrypts our token of %s', async (message) => {
    for (const key of [KEY, generateFernetKey()]) {
      const token = await create(key).encrypt(message, { now: NOW })
      expect(new witness.Token({ ...options(key), token }).decode()).toBe(message)
    }
  })

  test.each(MESSAGES)('our code decrypts the token of the fernet package: %s', async (message) => {
    for (const key of [KEY, generateFernetKey()]) {
      const token = new witness.Token({ ...options(key), time: new Date(NOW) }).encode(message)
      const opened = await create(key).decrypt(token)
      expect(text(opened.message)).toBe(message)
      expect(opened.timestamp).toBe(BigInt(NOW / 1000))
    }
  })
})
