import { type ErrorCode, GAMEMODES, HEADERS, KINDS, type Kind, LIMITS } from '@fish-crab/sdk/contract'
import {
  detailedCollection,
  ENTRY,
  encrypt,
  entriesOf,
  expectNothingStored,
  type PostOptions,
  SHORT_PAYLOADS,
  storedEntries,
  write,
  writeAndExpectId,
} from '../context/catches.ts'
import * as expect from '../context/expect.ts'
import { check, checksOf } from './check.ts'

const NOUNS = { fish: ['Fish', 'fish'], crab: ['Crab', 'crabs'] } as const

/** Ways to name two gamemodes, or an unknown one where only a write can: the fields of the payload, header and query. */
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
    check(`write-${kind}-short`, `A ${kind} in the short form is stored: 201 with a message and an id.`, async (t) => {
      const { name } = await t.user()
      const response = await write(t, kind, SHORT_PAYLOADS[kind])
      const { message, id, ...more } = expect.json(response, 201)
      expect.same(message, `${NOUNS[kind][0]} saved for user ${name}`, '"message"', response)
      expect.text(id, '"id"', response)
      expect.same(Object.keys(more), [], 'further fields', response)
    }),
    check(`write-${kind}-several`, `Several ${NOUNS[kind][1]} in one write are one record.`, async (t) => {
      const { name } = await t.user()
      const entry = ENTRY[kind]
      const response = await write(t, kind, { user: name, gamemode: 'earth', [kind]: [entry, entry, entry] })
      const { message, id } = expect.json(response, 201)
      expect.same(message, `3 ${NOUNS[kind][1]} saved for user ${name}`, '"message"', response)
      expect.same((await entriesOf(t, kind, String(id))).length, 3, 'the number of entries with the id')
    }),
  ]),
  check('write-gamemode', 'A write names its gamemode in the header, the query or the payload.', async (t) => {
    const { name } = await t.user()
    for (const gamemode of GAMEMODES) {
      const ways: readonly [unknown, PostOptions][] = [
        [SHORT_PAYLOADS.fish, { gamemode }],
        [SHORT_PAYLOADS.fish, { gamemode: null, query: `?name=${name}&gamemode=${gamemode}` }],
        [{ ...SHORT_PAYLOADS.fish, gamemode }, { gamemode: null }],
        [{ gamemode, fish: [ENTRY.fish] }, { gamemode: null }],
      ]
      for (const [payload, options] of ways) {
        const id = await writeAndExpectId(t, 'fish', payload, options)
        expect.same((await entriesOf(t, 'fish', id, gamemode)).length, 1, `the entries in ${gamemode}`)
      }
    }
  }),
  check('write-name-in-any-letter-case', 'A write finds its user in any case and returns it as created.', async (t) => {
    const { name } = await t.user()
    const user = name.toUpperCase()
    const response = await write(t, 'crab', { user, crab: [{}] }, { query: `?name=${user}` })
    expect.same(expect.json(response, 201).message, `Crab saved for user ${name}`, '"message"', response)
  }),
  check(
    'write-for-owner-of-api-key',
    'Only a write without a name is for the owner of the personal API key.',
    async (t) => {
      const id = await writeAndExpectId(t, 'fish', SHORT_PAYLOADS.fish, { query: '' })
      expect.same((await entriesOf(t, 'fish', id)).length, 1, "the entries in the owner's collection")
      const user = await t.newUser()
      const response = await write(t, 'fish', SHORT_PAYLOADS.fish, { user })
      expect.same(expect.json(response, 201).message, `Fish saved for user ${user.name}`, '"message"', response)
    },
  ),
  check('write-without-name', 'A write without a name and without a personal key is 400 missing_name.', async (t) => {
    const { name } = await t.user()
    const body = await encrypt(t, { user: name, fish: [ENTRY.fish] })
    const headers = { 'content-type': 'application/octet-stream', [HEADERS.gamemode]: 'earth' }
    await t.anonymous.ensure(1)
    expect.error(await t.anonymous.send('/post/fish', { method: 'POST', headers, body }), 'missing_name')
  }),
  ...KINDS.map((kind) =>
    check(
      `write-${kind}-contradictory`,
      `A ${kind} for two users, two gamemodes or an unknown one is 400.`,
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
    check(
      `payload-refused-${what}`,
      `A payload with a wrong ${what} is 400 invalid_payload, and not stored.`,
      async (t) =>
        expectNothingStored(t, async () => {
          for (const [kind, payload] of payloads) expect.details(await write(t, kind, payload), 'invalid_payload')
        }),
    ),
  ),
  ...KINDS.map((kind) =>
    check(
      `payload-taken-${kind}`,
      `A payload of ${kind} in either form is stored, without unknown fields.`,
      async (t) => {
        for (const [, payload, stored] of ACCEPTED.filter(([of]) => of === kind)) {
          const id = await writeAndExpectId(t, kind, payload)
          expect.same(await storedEntries(t, kind, id), [stored], 'what is stored')
        }
      },
    ),
  ),
  ...KINDS.map((kind) =>
    check(`payload-taken-500-${kind}`, `500 entries of ${kind} in one write are stored.`, async (t) => {
      const user = await t.newUser()
      await writeAndExpectId(t, kind, { [kind]: repeat(LIMITS.entriesPerWrite, ENTRY[kind]) }, { user })
      const { response, entries } = await detailedCollection(t, kind, user)
      const ids = entries.map(({ id }) => id)
      expect.same(
        [ids.length, new Set(ids).size],
        [LIMITS.entriesPerWrite, 1],
        'the number of entries and ids',
        response,
      )
    }),
  ),
])
