import { fishCollectionSchema, type Kind } from '@fish-crab/sdk/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asRoot } from './administration.ts'
import { countAll, listed, post, SALMON, write } from './catches.ts'
import { expectError } from './errors.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

const COD = { name: 'Cod', rarity: 1 }
const entries = <Entry>(count: number, entry: Entry) => Array.from({ length: count }, () => entry)
const DETAIL = '&gamemode=earth&detail=full'

describe('a payload', () => {
  it('is stored without its unknown fields', async () => {
    const service = await createMemoryService(UNLIMITED)
    const extra = { id: 'mine', length: 31.5, __proto__x: 1, constructor: 'x', owner: 'Bob', secret: 'unknown-field' }
    await write(service, 'fish', { ...extra, fish: [{ ...COD, ...extra }] })
    await write(service, 'fish', { ...extra, ...SALMON, crab: [{}] })
    await write(service, 'crab', { ...extra, crab: [extra], fish: [] })
    for (const kind of ['fish', 'crab'] as const) {
      const saved = await listed(service, kind, DETAIL)
      expect(saved.length).toBeGreaterThan(0)
      for (const entry of saved) {
        expect(Object.keys(entry)).toEqual(
          kind === 'fish' ? ['name', 'rarity', 'id', 'entry', 'caughtAt'] : ['name', 'id', 'entry', 'caughtAt'],
        )
        expect(entry.id).not.toBe('mine')
      }
    }
  })

  it.each([
    '{"fish":"Cod","rarity":1,"__proto__":{"name":"x","admin":true}}',
    '{"__proto__":{"fish":"x"},"fish":[{"name":"Cod","rarity":1,"__proto__":{"caughtAt":"2020-01-01T00:00:00Z"}}]}',
    '{"constructor":{"prototype":{"admin":true}},"fish":"Cod","rarity":1}',
  ])('does not pollute prototypes: %s', async (payload) => {
    const service = await createMemoryService()
    expect((await write(service, 'fish', payload)).status).toBe(201)
    expect(Object.keys(Object.prototype)).toEqual([])
    expect('admin' in {}).toBe(false)
    const [entry] = await listed(service, 'fish', DETAIL)
    expect(entry).toEqual({
      name: 'Cod',
      rarity: 'Bronze',
      id: entry?.id,
      entry: 0,
      caughtAt: new Date(service.now()).toISOString(),
    })
  })

  it('does not take missing fields from a prototype', async () => {
    const service = await createMemoryService()
    const payload = '{"__proto__":{"fish":[{"name":"Cod","rarity":1}]}}'
    await expectError(await write(service, 'fish', payload), 'invalid_payload')
  })

  it('that consists of any JSON is either stored or refused, and never causes a server error', async () => {
    const service = await createMemoryService(UNLIMITED)
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.constantFrom('fish' as const, 'crab' as const), async (payload, kind) => {
        expect([201, 400]).toContain((await write(service, kind, payload)).status)
      }),
      { numRuns: 60 },
    )
  })
})

const caught = (caughtAt: unknown) => ({ fish: [{ name: 'Cod', rarity: 1, caughtAt }] })

/** Creates a token of Alex with any 64-bit timestamp. No Fernet library can create such a token. */
async function tokenAt(fernetKey: string, seconds: bigint, payload: unknown): Promise<string> {
  const key = Buffer.from(fernetKey, 'base64')
  const iv = crypto.getRandomValues(new Uint8Array(16))
  const aes = await crypto.subtle.importKey('raw', key.subarray(16), 'AES-CBC', false, ['encrypt'])
  const plain = new TextEncoder().encode(JSON.stringify(payload))
  const cipher = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-CBC', iv }, aes, plain))
  const head = new DataView(new ArrayBuffer(9))
  head.setUint8(0, 0x80)
  head.setBigUint64(1, seconds)
  const signed = Buffer.concat([new Uint8Array(head.buffer), iv, cipher])
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const signing = await crypto.subtle.importKey('raw', key.subarray(0, 16), hmac, false, ['sign'])
  return Buffer.concat([signed, new Uint8Array(await crypto.subtle.sign('HMAC', signing, signed))]).toString(
    'base64url',
  )
}

describe('the time of a catch', () => {
  it.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.6Z', '2026-01-02T03:04:05.600Z'],
    ['2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.123Z'],
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
    ['2026-01-02T03:04:05.500-05:30', '2026-01-02T08:34:05.500Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ])('that is sent as %s is returned as %s', async (caughtAt, normalised) => {
    const service = await createMemoryService({ ...UNLIMITED, startAt: Date.UTC(2026, 0, 3) })
    expect((await write(service, 'fish', caught(caughtAt))).status).toBe(201)
    expect((await write(service, 'crab', { crab: [{ caughtAt }] })).status).toBe(201)
    expect((await listed(service, 'fish', DETAIL))[0]?.caughtAt).toBe(normalised)
    expect((await listed(service, 'crab', DETAIL))[0]?.caughtAt).toBe(normalised)
    expect(await listed(service)).toEqual([{ name: 'Cod', rarity: 'Bronze' }])
  })

  it.each([
    ...['', 'yesterday', '2026-01-02', '2026-01-02 03:04:05Z', '2026-01-02T03:04:05', '2026-13-01T00:00:00Z'],
    ...['2025-02-29T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01T00:00:60Z', '+012026-01-01T00:00:00Z'],
    ...['20260102T030405Z', '2026-01-02T03:04:05+25:00', '1767322800', 1_767_322_800, null, {}],
  ])('that is sent as %j is refused', async (caughtAt) => {
    const service = await createMemoryService(UNLIMITED)
    const { details } = await expectError(await write(service, 'fish', caught(caughtAt)), 'invalid_payload')
    expect(details?.map(({ path }) => path)).toEqual(['fish.0.caughtAt'])
    await expectError(await write(service, 'crab', { crab: [{ caughtAt }] }), 'invalid_payload')
    expect(await countAll(service)).toBe(0)
  })

  it.each(['0000-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00'])(
    'that is sent as %s, outside the four-digit years of UTC, is refused or returned in the documented form',
    async (caughtAt) => {
      const service = await createMemoryService(UNLIMITED)
      const { status } = await write(service, 'fish', caught(caughtAt))
      expect([201, 400]).toContain(status)
      const response = await service.request(`/get/fish?name=Alex${DETAIL}`)
      expect(fishCollectionSchema.safeParse(await response.json()).success).toBe(true)
    },
  )

  it.each([
    [0n, '1970-01-01T00:00:00.000Z'],
    [1_767_225_599n, '2025-12-31T23:59:59.000Z'],
    // One day ahead of the service, and a second more.
    [1_767_312_000n, '2026-01-02T00:00:00.000Z'],
    [1_767_312_001n, '2026-01-01T00:00:00.000Z'],
    [253_402_300_799n, '2026-01-01T00:00:00.000Z'],
  ])('is the timestamp %s of the token if the payload has no time', async (seconds, moment) => {
    const service = await createMemoryService(UNLIMITED)
    expect((await post(service, 'fish', await tokenAt(service.alex.fernetKey, seconds, SALMON))).status).toBe(201)
    expect((await listed(service, 'fish', DETAIL))[0]?.caughtAt).toBe(moment)
  })

  it.each([
    [86_400_000, 86_400_000],
    [86_400_001, 0],
    [400 * 86_400_000, 0],
    [Date.UTC(9999, 0) - Date.UTC(2026, 0), 0],
  ])('that is %d ms ahead of the clock of the service is stored %d ms ahead', async (ahead, stored) => {
    const service = await createMemoryService(UNLIMITED)
    const [sent, expected] = [ahead, stored].map((ms) => new Date(service.now() + ms).toISOString())
    const admin = await asRoot(service)
    await write(service, 'fish', {
      fish: [
        { name: 'Cod', rarity: 1, caughtAt: sent },
        { name: 'Koi', rarity: 1 },
      ],
    })
    await write(service, 'crab', { crab: [{ caughtAt: sent }] })
    await admin('POST', '/admin/users/Alex/crab?gamemode=earth', { crab: [{ caughtAt: sent }] })
    const times = async (kind: Kind) => (await listed(service, kind, DETAIL)).map(({ caughtAt }) => caughtAt)
    expect(await times('fish')).toEqual([expected, new Date(service.now()).toISOString()])
    expect(await times('crab')).toEqual([expected, expected])
  })

  it.each([253_402_300_800n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n])(
    'is the time of the request if the timestamp of the token is %s, which is not a valid date',
    async (seconds) => {
      const service = await createMemoryService(UNLIMITED)
      expect((await post(service, 'fish', await tokenAt(service.alex.fernetKey, seconds, SALMON))).status).toBe(201)
      expect((await listed(service, 'fish', DETAIL))[0]?.caughtAt).toBe(new Date(service.now()).toISOString())
    },
  )
})

const NAMES = [
  ['one character', 'x'],
  ['100 characters', 'x'.repeat(100)],
  ['100 emoji', '🐟'.repeat(100)],
  ['letters of any script', 'Лосось 鮭 سلمون ẞ'],
  ['joined emoji', '👩‍🚀'],
  ['quotes and backslashes', '"\\/\'`'],
  ['the text of stored details', ',"id":"x","caughtAt":"y"'],
  ['markup', '<script>alert(1)</script>'],
  ['line separators of JavaScript', 'a\u2028b\u2029c'],
  ['the name of a property', '__proto__'],
  ['spaces', ' x '],
] as const

const BAD_NAMES = [
  ['the empty string', ''],
  ['101 characters', 'x'.repeat(101)],
  ['101 emoji', '🐟'.repeat(101)],
  ['a newline', 'a\nb'],
  ['a NUL', 'a\0'],
  ['a DEL', '\x7f'],
  ['a C1 control', '\u0085'],
  ['a lone surrogate', 'a\ud83d'],
  ['a trailing newline', 'Cod\n'],
  ['a number', 5],
  ['null', null],
  ['a list', ['Cod']],
  ['an object', { toString: 'Cod' }],
] as const

describe('the name of a catch', () => {
  it.each(NAMES)('with %s is stored unchanged', async (_, name) => {
    const service = await createMemoryService(UNLIMITED)
    for (const payload of [{ fish: name, rarity: 1 }, { fish: [{ name, rarity: 1 }] }]) {
      expect((await write(service, 'fish', payload)).status).toBe(201)
    }
    for (const payload of [{ fish: name }, { crab: [{ name }] }]) {
      expect((await write(service, 'crab', payload)).status).toBe(201)
    }
    expect(await listed(service, 'fish')).toEqual(entries(2, { name, rarity: 'Bronze' }))
    expect(await listed(service, 'crab')).toEqual(entries(2, { name }))
    const details = { id: expect.any(String), entry: 0, caughtAt: expect.any(String) }
    expect(await listed(service, 'crab', DETAIL)).toEqual(entries(2, { name, ...details }))
  })

  it.each(BAD_NAMES)('that is or contains %s is refused, and the error has details', async (_, name) => {
    const service = await createMemoryService(UNLIMITED)
    for (const payload of [{ fish: name, rarity: 1 }, { fish: [{ name, rarity: 1 }] }]) {
      const { details } = await expectError(await write(service, 'fish', payload), 'invalid_payload')
      expect(details?.length).toBeGreaterThan(0)
    }
    for (const payload of [{ fish: name }, { crab: [{ name }] }]) {
      await expectError(await write(service, 'crab', payload), 'invalid_payload')
    }
    expect(await countAll(service)).toBe(0)
  })
})
