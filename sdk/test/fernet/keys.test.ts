import { randomBytes } from 'node:crypto'
import { createFernet, FernetError, generateFernetKey } from '@fish-crab/sdk/fernet'
import { describe, expect, test } from 'vitest'
import { fernetWith } from '../../src/fernet/fernet.ts'
import { preparePlatformKey } from '../../src/fernet/key.node.ts'
import { preparePlatformKey as prepareWebKey } from '../../src/fernet/key.web.ts'
import { IMPLEMENTATIONS, invalidToken, KEY, OTHER_KEY, text } from './implementations.ts'

const standard = (key: string) => key.replaceAll('-', '+').replaceAll('_', '/')
const bare = (key: string) => key.replace('=', '')

describe.each(IMPLEMENTATIONS)('on $platform', ({ create }) => {
  test('a key is accepted in either base64 alphabet, with or without padding', async () => {
    expect(standard(KEY)).toMatch(/[+].*[/]|[/].*[+]/)
    const token = await create(KEY).encrypt('fish')
    for (const key of [KEY, standard(KEY), bare(KEY), bare(standard(KEY))]) {
      expect(text((await create(key).decrypt(token)).message)).toBe('fish')
    }
  })

  test('the first key in a list encrypts, and every key in the list can decrypt', async () => {
    const keys = [KEY, OTHER_KEY, generateFernetKey()]
    const rotating = create(keys)
    for (const key of keys) {
      expect(text((await rotating.decrypt(await create(key).encrypt('fish'))).message)).toBe('fish')
    }
    const token = await rotating.encrypt('crab')
    expect(text((await create(KEY).decrypt(token)).message)).toBe('crab')
    await expect(create(OTHER_KEY).decrypt(token)).rejects.toMatchObject(invalidToken)
    await expect(rotating.decrypt(await create(generateFernetKey()).encrypt('x'))).rejects.toMatchObject(invalidToken)
  })
})

test.each([
  ['an empty string', ''],
  ['31 bytes', Buffer.alloc(31, 9).toString('base64url')],
  ['33 bytes', Buffer.alloc(33, 9).toString('base64url')],
  ['a truncated key', KEY.slice(0, -2)],
  ['two keys in one', KEY + KEY],
  ['a key with a newline', `${KEY}\n`],
  ['a key with a space before it', ` ${KEY}`],
  ['a key with too much padding', `${KEY}=`],
  ['a mix of both alphabets', KEY.replace('_', '/')],
  ['nonzero bits after the last byte', KEY.replace('4=', '5=')],
  ['a hexadecimal key', Buffer.alloc(32, 9).toString('hex')],
  ['a non-ASCII letter', KEY.replace('c', 'ç')],
])('createFernet() rejects %s as a key, alone and after a valid key', (_, key) => {
  expect(() => createFernet(key)).toThrow(expect.objectContaining({ name: 'FernetError', code: 'invalid_key' }))
  expect(() => createFernet([KEY, key])).toThrow(expect.objectContaining({ code: 'invalid_key' }))
})

test('an empty list of keys is rejected', () => {
  const unset: unknown = undefined
  expect(() => createFernet([])).toThrow(expect.objectContaining({ code: 'invalid_key' }))
  expect(() => createFernet(unset as string)).toThrow(expect.objectContaining({ code: 'invalid_key' }))
})

test('each key is prepared once, at its first use', async () => {
  let prepared = 0
  const counting: typeof preparePlatformKey = (key) => {
    prepared++
    return preparePlatformKey(key)
  }
  const fernet = fernetWith(counting, [KEY, OTHER_KEY])
  expect(prepared).toBe(0)
  const tokens = await Promise.all(Array.from({ length: 5 }, () => fernet.encrypt('fish')))
  await Promise.all(tokens.map((token) => fernet.decrypt(token)))
  expect(prepared).toBe(1)
  const older = await createFernet(OTHER_KEY).encrypt('fish')
  await Promise.all([fernet.decrypt(older), fernet.decrypt(older)])
  expect(prepared).toBe(2)
})

test('2,000 generated keys are unique, have 44 characters, and avoid the characters that differ between the base64 alphabets', () => {
  const keys = Array.from({ length: 2_000 }, () => generateFernetKey())
  for (const key of keys) {
    expect(key).toMatch(/^[A-Za-z0-9]{43}=$/)
    expect(Buffer.from(key, 'base64')).toHaveLength(32)
    expect(tried(() => createFernet(key)) instanceof FernetError).toBe(false)
  }
  expect(new Set(keys).size).toBe(2_000)
})

test('generated keys use every character that both base64 alphabets share', () => {
  const seen = new Set(Array.from({ length: 200 }, () => generateFernetKey()).join(''))
  expect(seen.size).toBe(62 + '='.length)
})

test('a generated key with a character that differs between the base64 alphabets is discarded as a whole', () => {
  const draws = [new Uint8Array(32).fill(0xff), new Uint8Array(randomBytes(32)).fill(0xfb), new Uint8Array(32).fill(1)]
  expect(generateFernetKey(() => draws.shift() ?? new Uint8Array(32))).toBe(Buffer.alloc(32, 1).toString('base64'))
  expect(draws).toHaveLength(0)
})

test('a constant random source causes an error, not an endless loop', () => {
  expect(() => generateFernetKey((bytes) => bytes.fill(0xff))).toThrow(/random source/)
})

function tried(action: () => unknown): unknown {
  try {
    return action()
  } catch (error) {
    return error
  }
}

test('if the preparation of a key fails, the key is prepared again at the next use', async () => {
  let isRefused = true
  const prepare = async (bytes: Uint8Array<ArrayBuffer>) => {
    if (isRefused) throw new Error('WebCrypto is busy.')
    return prepareWebKey(bytes)
  }
  const fernet = fernetWith(prepare, KEY)
  await expect(fernet.encrypt('fish')).rejects.toThrow('WebCrypto is busy.')
  isRefused = false
  expect(text((await fernet.decrypt(await fernet.encrypt('fish'))).message)).toBe('fish')
})
