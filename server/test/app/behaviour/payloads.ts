import { LIMITS } from '@fish-crab/sdk/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countAll, listed, SALMON, write } from '../catches.ts'
import { expectError } from '../errors.ts'
import { type OpenService, UNLIMITED } from '../test-service.ts'

const COD = { name: 'Cod', rarity: 1 }
const entries = <Entry>(count: number, entry: Entry) => Array.from({ length: count }, () => entry)
const DETAIL = '&gamemode=earth&detail=full'

const WRONG_FISH: readonly (readonly [string, unknown])[] = [
  ['a text', '"Salmon"'],
  ['a number', '7'],
  ['null', 'null'],
  ['a list', [COD]],
  ['an empty object', {}],
  ['no JSON', '{"fish":'],
  ['empty', ''],
  ['JSON with junk behind', '{"fish":"Cod","rarity":1} x'],
  ['no UTF-8', new Uint8Array([0x7b, 0xff, 0x7d])],
  ['UTF-16', new Uint8Array(Buffer.from(JSON.stringify(SALMON), 'utf16le'))],
  ['a fish without a rarity', { fish: 'Cod' }],
  ['entries without a rarity', { fish: [{ name: 'Cod' }] }],
  ['entries that are texts', { fish: ['Cod'] }],
  ['entries that are null', { fish: [null] }],
  ['entries in an object', { fish: { 0: COD } }],
  ['crabs', { crab: [{}] }],
  ['501 entries', { fish: entries(LIMITS.entriesPerWrite + 1, COD) }],
  ['no entries', { fish: [] }],
  ['one bad entry among good ones', { fish: [COD, { name: 'Cod', rarity: 8 }, COD] }],
  ['a user that is no text', { user: 5, fish: [COD] }],
  ['a gamemode that is no text', { gamemode: ['earth'], fish: [COD] }],
  ['NaN', '{"fish":"Cod","rarity":NaN}'],
]

/** What decrypted payloads may hold, and what is stored of them. */
export function payloadsBehaviour(open: OpenService): void {
  describe('a payload', () => {
    it.each([
      ['fish', SALMON, [{ name: 'Salmon', rarity: 'Gold' }]],
      [
        'fish',
        { user: 'alex', gamemode: 'earth', fish: [COD, { name: 'Koi', rarity: 5 }] },
        [
          { name: 'Cod', rarity: 'Bronze' },
          { name: 'Koi', rarity: 'Unknown/Other' },
        ],
      ],
      ['crab', { fish: 'crab' }, [{ name: 'crab' }]],
      ['crab', { fish: 'King Crab' }, [{ name: 'King Crab' }]],
      [
        'crab',
        { user: 'Alex', gamemode: 'earth', crab: [{}, { name: 'Hermit' }] },
        [{ name: 'crab' }, { name: 'Hermit' }],
      ],
    ] as const)('for %s of the form %j is stored as %j', async (kind, payload, stored) => {
      const service = await open()
      expect((await write(service, kind, payload)).status).toBe(201)
      expect(await listed(service, kind)).toEqual(stored)
    })

    it.each([0, 8, -1, 2.5, '3', 'Gold', null, true, [3], 1e300])(
      'with rarity %j is refused, in both forms',
      async (rarity) => {
        const service = await open(UNLIMITED)
        const short = await expectError(await write(service, 'fish', { fish: 'Cod', rarity }), 'invalid_payload')
        expect(short.details?.map(({ path }) => path)).toEqual(['rarity'])
        const long = await expectError(
          await write(service, 'fish', { fish: [COD, { name: 'Cod', rarity }] }),
          'invalid_payload',
        )
        expect(long.details?.map(({ path }) => path)).toEqual(['fish.1.rarity'])
        expect(await countAll(service)).toBe(0)
      },
    )

    it.each(['{"fish":"Cod","rarity":3.0}', '{"fish":"Cod","rarity":3e0}'])(
      'with the integer of %s is stored',
      async (payload) => {
        const service = await open()
        expect((await write(service, 'fish', payload)).status).toBe(201)
      },
    )

    it.each(WRONG_FISH)('that is %s is refused, with details, and nothing of it is stored', async (_, payload) => {
      const service = await open(UNLIMITED)
      const { details } = await expectError(await write(service, 'fish', payload), 'invalid_payload')
      expect(details?.length).toBeGreaterThan(0)
      expect(await countAll(service)).toBe(0)
    })

    it.each([
      ['fish in place of crabs', { fish: [COD] }],
      ['an empty list', { crab: [] }],
      ['501 crabs', { crab: entries(501, {}) }],
      ['a text in place of a list', { crab: 'crab' }],
      ['texts in place of crabs', { crab: ['crab'] }],
    ])('for crabs that is %s is refused', async (_, payload) => {
      const service = await open(UNLIMITED)
      await expectError(await write(service, 'crab', payload), 'invalid_payload')
      expect(await countAll(service)).toBe(0)
    })

    it.each([
      ['of the short form', { fish: 'Cod', rarity: 3 }, 'rarity'],
      ['of the long form', { crab: [{ name: 'Hermit' }, COD] }, 'crab.1.rarity'],
      ['of the short form, without a value', { fish: 'crab', rarity: null }, 'rarity'],
    ])('for crabs with a rarity, %s, is a fish on the wrong path and refused', async (_, payload, path) => {
      const service = await open(UNLIMITED)
      const { details } = await expectError(await write(service, 'crab', payload), 'invalid_payload')
      expect(details).toEqual([{ path, message: expect.stringContaining('ends in /fish') }])
      expect(await countAll(service)).toBe(0)
    })

    it.each([1, 500])('of %i entries is one record with one id', async (count) => {
      const service = await open(UNLIMITED)
      const fish = await (await write(service, 'fish', { fish: entries(count, COD) })).json()
      const crab = await (await write(service, 'crab', { crab: entries(count, {}) })).json()
      for (const [kind, { id }] of [
        ['fish', fish],
        ['crab', crab],
      ] as const) {
        const saved = await listed(service, kind, DETAIL)
        expect(saved).toHaveLength(count)
        expect(new Set(saved.map((entry) => entry.id))).toEqual(new Set([id]))
      }
    })

    it('is stored without its unknown fields', async () => {
      const service = await open(UNLIMITED)
      const extra = { id: 'mine', length: 31.5, __proto__x: 1, constructor: 'x', owner: 'Bob', secret: 'unknown-field' }
      await write(service, 'fish', { ...extra, fish: [{ ...COD, ...extra }] })
      await write(service, 'fish', { ...extra, ...SALMON, crab: [{}] })
      await write(service, 'crab', { ...extra, crab: [extra], fish: [] })
      for (const kind of ['fish', 'crab'] as const) {
        const saved = await listed(service, kind, DETAIL)
        expect(saved.length).toBeGreaterThan(0)
        for (const entry of saved) {
          expect(Object.keys(entry)).toEqual(
            kind === 'fish' ? ['name', 'rarity', 'id', 'caughtAt'] : ['name', 'id', 'caughtAt'],
          )
          expect(entry.id).not.toBe('mine')
        }
      }
    })

    it.each([
      '{"fish":"Cod","rarity":1,"__proto__":{"name":"x","admin":true}}',
      '{"__proto__":{"fish":"x"},"fish":[{"name":"Cod","rarity":1,"__proto__":{"caughtAt":"2020-01-01T00:00:00Z"}}]}',
      '{"constructor":{"prototype":{"admin":true}},"fish":"Cod","rarity":1}',
    ])('pollutes no prototype: %s', async (payload) => {
      const service = await open()
      expect((await write(service, 'fish', payload)).status).toBe(201)
      expect(Object.keys(Object.prototype)).toEqual([])
      expect('admin' in {}).toBe(false)
      const [entry] = await listed(service, 'fish', DETAIL)
      expect(entry).toEqual({
        name: 'Cod',
        rarity: 'Bronze',
        id: entry?.id,
        caughtAt: new Date(service.now()).toISOString(),
      })
    })

    it('does not take what it lacks from a prototype', async () => {
      const service = await open()
      const payload = '{"__proto__":{"fish":[{"name":"Cod","rarity":1}]}}'
      await expectError(await write(service, 'fish', payload), 'invalid_payload')
    })

    it('of any JSON is stored or refused, but never breaks the service', async () => {
      const service = await open(UNLIMITED)
      await fc.assert(
        fc.asyncProperty(fc.json(), fc.constantFrom('fish' as const, 'crab' as const), async (payload, kind) => {
          expect([201, 400]).toContain((await write(service, kind, payload)).status)
        }),
        { numRuns: 60 },
      )
    })
  })
}
