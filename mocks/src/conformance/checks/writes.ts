import { type ErrorCode, type Gamemode, HEADERS, KINDS, type Kind, LIMITS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import {
  detailedCollection,
  ENTRY,
  encrypt,
  expectEntries,
  expectNothingStored,
  GAMEMODE,
  gamemodesOf,
  KIND_NAMES,
  type PostOptions,
  SHORT_PAYLOADS,
  storedEntries,
  write,
  writeAndExpectId,
} from '../context/catches.ts'
import * as expect from '../context/expect.ts'
import { check, checksOf } from './check.ts'

const PLURALS = { fish: 'fish', crab: 'crabs' } as const

/**
 * Writes with an unknown gamemode, or with two gamemodes or users: the error code, the payload's fields, the header and
 * the query.
 */
const REFUSED: readonly (readonly [ErrorCode, object, string | null, string?])[] = [
  ['invalid_gamemode', {}, 'Earth'],
  ['invalid_gamemode', { gamemode: 'moon' }, null],
  ['gamemode_mismatch', { gamemode: 'factions' }, 'earth'],
  ['gamemode_mismatch', {}, 'earth', 'survival'],
  ['gamemode_mismatch', { gamemode: 'oneblock' }, null, 'survival'],
  ['user_mismatch', { user: 'Steve' }, 'earth'],
]

const COD = { name: 'Cod', rarity: 1 }
const repeat = <Entry>(count: number, entry: Entry) => Array.from({ length: count }, () => entry)

const REFUSED_PAYLOADS: Readonly<Record<string, readonly (readonly [Kind, unknown])[]>> = {
  form: [
    ['fish', '{"fish":'],
    ['fish', new Uint8Array([0x7b, 0xff, 0x7d])],
    ['fish', ''],
    ['crab', '"crab"'],
    ['fish', [COD]],
    ['fish', {}],
  ],
  rarity: [
    ['fish', { fish: 'Cod' }],
    ...[0, 8, 2.5, '3'].map((rarity) => ['fish', { fish: 'Cod', rarity }] as const),
    ['fish', { fish: [{ name: 'Cod', rarity: 'Gold' }] }],
    ['fish', { fish: [COD, { name: 'Cod', rarity: 8 }, COD] }],
    ['crab', { fish: 'Cod', rarity: 1 }],
    ['crab', { crab: [{}, COD] }],
  ],
  number: [
    ['fish', { fish: [] }],
    ['crab', { crab: [] }],
    ['fish', { fish: repeat(LIMITS.entriesPerWrite + 1, COD) }],
    ['crab', { crab: repeat(LIMITS.entriesPerWrite + 1, {}) }],
  ],
  name: [
    ...['', 'x'.repeat(101), 'Cod\n'].map((fish) => ['fish', { fish, rarity: 1 }] as const),
    ...['x'.repeat(101), 'a\u0000'].map((name) => ['crab', { crab: [{ name }] }] as const),
  ],
  kind: [
    ['fish', { crab: [{}] }],
    ['crab', { fish: [COD] }],
  ],
  time: [['fish', { fish: [{ ...COD, caughtAt: 'yesterday' }] }]],
}

const BRONZE = { rarity: 'Bronze' }
const ACCEPTED: readonly (readonly [Kind, unknown, unknown])[] = [
  ['fish', { fish: 'Salmon', rarity: 3 }, { name: 'Salmon', rarity: 'Gold' }],
  ['crab', { fish: 'crab' }, { name: 'crab' }],
  ['crab', { crab: [{}] }, { name: 'crab' }],
  ['crab', { crab: [{ name: 'Hermit' }] }, { name: 'Hermit' }],
  ['fish', { fish: 'ü'.repeat(100), rarity: 1 }, { name: 'ü'.repeat(100), ...BRONZE }],
  ['fish', { fish: '"\\Cod\\" 🐟', rarity: 7 }, { name: '"\\Cod\\" 🐟', rarity: 'Mythical' }],
  ['fish', { x: 1, fish: [{ ...COD, length: 31.5, id: 'mine' }] }, { name: 'Cod', ...BRONZE }],
]

export const writesChecks = checksOf('writes', [
  ...KINDS.flatMap((kind) => [
    check(
      `write-${kind}-short`,
      `A ${kind} in the short form is stored and gets 201 with a message and an id.`,
      async (t) => {
        const { name } = await t.user()
        // The service finds the name in any letter case, and returns the name as it was created.
        const response = await write(t, kind, SHORT_PAYLOADS[kind], { query: `?name=${name.toUpperCase()}` })
        const { message, id, ...more } = expect.json(response, 201)
        expect.same(message, `${KIND_NAMES[kind]} saved for user ${name}`, '"message"', response)
        expect.text(id, '"id"', response)
        expect.same(Object.keys(more), [], 'further fields', response)
      },
    ),
    check(`write-${kind}-several`, `500 ${PLURALS[kind]} in one write become one record.`, async (t) => {
      const { name } = await t.user()
      const count = LIMITS.entriesPerWrite
      const gamemode = 'oneblock'
      const payload = { user: name.toUpperCase(), gamemode, [kind]: repeat(count, ENTRY[kind]) }
      const response = await write(t, kind, payload, { gamemode })
      const { message, id } = expect.json(response, 201)
      expect.same(message, `${count} ${PLURALS[kind]} saved for user ${name}`, '"message"', response)
      await expectEntries(t, kind, id, count, gamemode)
    }),
  ]),
  check(
    'write-gamemode',
    'Header, query or payload can name the gamemode, and each gamemode has separate fish.',
    async (t) => {
      const user = await t.user()
      const gamemodes = await gamemodesOf(t)
      const written = new Map<unknown, Gamemode>()
      for (const gamemode of gamemodes) {
        const ways: readonly [unknown, PostOptions][] = [
          [SHORT_PAYLOADS.fish, { gamemode }],
          [SHORT_PAYLOADS.fish, { gamemode: null, query: `?name=${user.name}&gamemode=${gamemode}` }],
          [{ ...SHORT_PAYLOADS.fish, gamemode }, { gamemode: null }],
          [{ gamemode, fish: [ENTRY.fish] }, { gamemode: null }],
        ]
        for (const way of ways) written.set(await writeAndExpectId(t, 'fish', ...way), gamemode)
      }
      for (const gamemode of gamemodes) {
        const { entries } = await detailedCollection(t, 'fish', user, '', gamemode)
        const found = entries.flatMap(({ id }) => written.get(id) ?? [])
        expect.same(found, repeat(4, gamemode), `the gamemodes of the fish in ${gamemode}`)
      }
    },
  ),
  check(
    'write-for-owner-of-api-key',
    'A write adds to the collection of the API key owner only if it names no user.',
    async (t) => {
      const id = await writeAndExpectId(t, 'fish', SHORT_PAYLOADS.fish, { query: '' })
      await expectEntries(t, 'fish', id, 1)
      const user = await t.newUser()
      const response = await write(t, 'fish', SHORT_PAYLOADS.fish, { user })
      expect.same(expect.json(response, 201).message, `Fish saved for user ${user.name}`, '"message"', response)
    },
  ),
  check('write-without-name', 'A write without a name and without a personal key gets 400 missing_name.', async (t) => {
    const { name } = await t.user()
    const body = await encrypt(t, { user: name, fish: [ENTRY.fish] })
    const headers = { 'content-type': MEDIA_TYPES.token, [HEADERS.gamemode]: 'earth' }
    await t.anonymous.ensure(1)
    expect.error(await t.anonymous.send('/post/fish', { method: 'POST', headers, body }), 'missing_name')
  }),
  ...KINDS.map((kind) =>
    check(`write-${kind}-without-content-type`, `A ${kind} without a content-type is stored.`, async (t) => {
      const { name } = await t.user()
      // The platform adds a content-type to text, but not to bytes.
      const body = new TextEncoder().encode(await encrypt(t, SHORT_PAYLOADS[kind]))
      const headers = { [HEADERS.gamemode]: GAMEMODE }
      const response = await t.request(`/post/${kind}?name=${name}`, { method: 'POST', headers, body })
      await expectEntries(t, kind, expect.json(response, 201).id, 1)
    }),
  ),
  ...KINDS.map((kind) =>
    check(
      `write-${kind}-contradictory`,
      `A ${kind} for two users, two gamemodes or an unknown gamemode gets 400.`,
      async (t) => {
        const { name } = await t.user()
        await expectNothingStored(t, async () => {
          for (const [code, fields, gamemode, queried] of REFUSED) {
            const query = `?name=${name}${queried ? `&gamemode=${queried}` : ''}`
            expect.error(await write(t, kind, { ...SHORT_PAYLOADS[kind], ...fields }, { gamemode, query }), code)
          }
        })
      },
    ),
  ),
  ...Object.entries(REFUSED_PAYLOADS).map(([what, payloads]) =>
    check(`payload-refused-${what}`, `A payload with an invalid ${what} gets 400 and is not stored.`, async (t) =>
      expectNothingStored(t, async () => {
        for (const [kind, payload] of payloads) expect.details(await write(t, kind, payload), 'invalid_payload')
      }),
    ),
  ),
  ...KINDS.map((kind) =>
    check(`payload-taken-${kind}`, `A payload of ${kind} is stored without unknown fields.`, async (t) => {
      for (const [, payload, stored] of ACCEPTED.filter(([of]) => of === kind)) {
        const id = await writeAndExpectId(t, kind, payload)
        expect.same(await storedEntries(t, kind, id), [stored], 'the stored entries')
      }
    }),
  ),
])
