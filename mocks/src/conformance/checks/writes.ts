import { ERROR_CODES, type ErrorCode, GAMEMODES, HEADERS, KINDS, type Kind, LIMITS } from '@fish-crab/sdk/contract'
import {
  detailedCollection,
  ENTRY,
  encrypt,
  entriesOf,
  expectNothingStored,
  fillNames,
  type PostOptions,
  SHORT_PAYLOADS,
  storedEntries,
  write,
  writeAndExpectId,
} from '../context/catches.ts'
import { expectDetails, expectError, expectJson, expectSame, expectText } from '../context/expect.ts'
import { check, checksOf } from './check.ts'

const NOUNS = { fish: ['Fish', 'fish'], crab: ['Crab', 'crabs'] } as const

/** A write of the short form with other fields, another gamemode in the header or another query (see {@link fillNames}). */
interface RefusedWrite {
  readonly fields?: object
  readonly gamemode?: string | null
  readonly query?: string
}

const SURVIVAL = 'name=USER&gamemode=survival'

const REFUSED: readonly (readonly [string, string, ErrorCode, RefusedWrite])[] = [
  ['invalid-gamemode-header', 'with an unknown gamemode in the header', 'invalid_gamemode', { gamemode: 'Earth' }],
  [
    'invalid-gamemode-payload',
    'with an unknown gamemode in the payload',
    'invalid_gamemode',
    { gamemode: null, fields: { gamemode: 'moon' } },
  ],
  [
    'gamemodes-differ-header-payload',
    'whose header and payload name different gamemodes',
    'gamemode_mismatch',
    { fields: { gamemode: 'factions' } },
  ],
  [
    'gamemodes-differ-header-query',
    'whose header and query name different gamemodes',
    'gamemode_mismatch',
    { query: SURVIVAL },
  ],
  [
    'gamemodes-differ-query-payload',
    'whose query and payload name different gamemodes',
    'gamemode_mismatch',
    { gamemode: null, query: SURVIVAL, fields: { gamemode: 'oneblock' } },
  ],
  ['users-differ', 'whose payload names another user than the request', 'user_mismatch', { fields: { user: 'Steve' } }],
]

const COD = { name: 'Cod', rarity: 1 }
const repeat = <Entry>(count: number, entry: Entry) => Array.from({ length: count }, () => entry)

const REFUSED_PAYLOADS: readonly (readonly [string, string, Kind, unknown])[] = [
  ['no-json', 'that is no JSON', 'fish', '{"fish":'],
  ['no-utf-8', 'that is no UTF-8', 'fish', new Uint8Array([0x7b, 0xff, 0x7d])],
  ['empty', 'that is empty', 'fish', ''],
  ['text', 'that is a mere text', 'crab', '"crab"'],
  ['list', 'that is a mere list', 'fish', [COD]],
  ['no-fields', 'without any field', 'fish', {}],
  ['fish-without-rarity', 'of a fish without a rarity', 'fish', { fish: 'Cod' }],
  ['rarity-0', 'with rarity 0', 'fish', { fish: 'Cod', rarity: 0 }],
  ['rarity-8', 'with rarity 8', 'fish', { fish: 'Cod', rarity: 8 }],
  ['rarity-fraction', 'with rarity 2.5', 'fish', { fish: 'Cod', rarity: 2.5 }],
  ['rarity-text', 'with a rarity in quotes', 'fish', { fish: 'Cod', rarity: '3' }],
  ['rarity-label', 'with a label for a rarity', 'fish', { fish: [{ name: 'Cod', rarity: 'Gold' }] }],
  ['one-wrong-among-good', 'with one invalid entry of three', 'fish', { fish: [COD, { name: 'Cod', rarity: 8 }, COD] }],
  ['no-fish', 'with an empty list of fish', 'fish', { fish: [] }],
  ['no-crabs', 'with an empty list of crabs', 'crab', { crab: [] }],
  ['fish-over-500', 'of 501 fish', 'fish', { fish: repeat(LIMITS.entriesPerWrite + 1, COD) }],
  ['crabs-over-500', 'of 501 crabs', 'crab', { crab: repeat(LIMITS.entriesPerWrite + 1, {}) }],
  ['fish-name-empty', 'with an empty name', 'fish', { fish: '', rarity: 1 }],
  ['fish-name-of-101', 'with a name of 101 characters', 'fish', { fish: 'x'.repeat(101), rarity: 1 }],
  ['crab-name-of-101', 'with a crab whose name has 101 characters', 'crab', { crab: [{ name: 'x'.repeat(101) }] }],
  ['name-control', 'with a control character in a name', 'fish', { fish: 'Cod\n', rarity: 1 }],
  ['name-nul', 'with a NUL in a name', 'crab', { crab: [{ name: 'a\u0000' }] }],
  ['crabs-for-fish', 'of crabs where fish belong', 'fish', { crab: [{}] }],
  ['fish-for-crabs', 'of fish where crabs belong', 'crab', { fish: [COD] }],
  ['crab-with-rarity', 'of a crab with a rarity, in the short form', 'crab', { fish: 'Cod', rarity: 1 }],
  ['crabs-with-rarity', 'of crabs of which one has a rarity', 'crab', { crab: [{}, COD] }],
  ['caught-at-no-moment', 'with a time that is none', 'fish', { fish: [{ ...COD, caughtAt: 'yesterday' }] }],
]

const ACCEPTED_PAYLOADS: readonly (readonly [string, string, Kind, unknown, readonly unknown[]])[] = [
  ['fish-short', 'in the short form', 'fish', { fish: 'Salmon', rarity: 3 }, [{ name: 'Salmon', rarity: 'Gold' }]],
  ['crab-short', 'of the short form, for a crab', 'crab', { fish: 'crab' }, [{ name: 'crab' }]],
  ['crab-default-name', 'of a crab without a name', 'crab', { crab: [{}] }, [{ name: 'crab' }]],
  ['crab-own-name', 'of a crab with a name', 'crab', { crab: [{ name: 'Hermit' }] }, [{ name: 'Hermit' }]],
  [
    'name-of-100',
    'with a name of 100 characters',
    'fish',
    { fish: 'ü'.repeat(100), rarity: 1 },
    [{ name: 'ü'.repeat(100), rarity: 'Bronze' }],
  ],
  [
    'name-of-quotes',
    'with quotes and backslashes in a name',
    'fish',
    { fish: '"\\Cod\\" 🐟', rarity: 7 },
    [{ name: '"\\Cod\\" 🐟', rarity: 'Mythical' }],
  ],
  [
    'unknown-fields',
    'with unknown fields, which are dropped',
    'fish',
    { x: 1, fish: [{ ...COD, length: 31.5, id: 'mine' }] },
    [{ name: 'Cod', rarity: 'Bronze' }],
  ],
]

export const writesChecks = checksOf('writes', [
  ...KINDS.flatMap((kind) => [
    check(`write-${kind}-short`, `A ${kind} in the short form is stored: 201 with a message and an id.`, async (t) => {
      const { name } = await t.user()
      const response = await write(t, kind, SHORT_PAYLOADS[kind])
      const { message, id, ...more } = expectJson(response, 201)
      expectSame(message, `${NOUNS[kind][0]} saved for user ${name}`, '"message"', response)
      expectText(id, '"id"', response)
      expectSame(Object.keys(more), [], 'further fields', response)
    }),
    check(`write-${kind}-several`, `Several ${NOUNS[kind][1]} in one write are one record.`, async (t) => {
      const { name } = await t.user()
      const entry = ENTRY[kind]
      const response = await write(t, kind, { user: name, gamemode: 'earth', [kind]: [entry, entry, entry] })
      const { message, id } = expectJson(response, 201)
      expectSame(message, `3 ${NOUNS[kind][1]} saved for user ${name}`, '"message"', response)
      expectSame((await entriesOf(t, kind, String(id))).length, 3, 'the number of entries with the id')
    }),
  ]),
  ...GAMEMODES.map((gamemode) =>
    check(`write-to-${gamemode}`, `A write names ${gamemode} in the header, query or payload.`, async (t) => {
      const { name } = await t.user()
      const ways: readonly [unknown, PostOptions][] = [
        [SHORT_PAYLOADS.fish, { gamemode }],
        [SHORT_PAYLOADS.fish, { gamemode: null, query: `?name=${name}&gamemode=${gamemode}` }],
        [{ ...SHORT_PAYLOADS.fish, gamemode }, { gamemode: null }],
        [{ gamemode, fish: [ENTRY.fish] }, { gamemode: null }],
      ]
      for (const [payload, options] of ways) {
        const id = await writeAndExpectId(t, 'fish', payload, options)
        expectSame((await entriesOf(t, 'fish', id, gamemode)).length, 1, `the entries in ${gamemode}`)
      }
    }),
  ),
  check('write-name-in-any-letter-case', 'A write finds its user in any case and returns it as created.', async (t) => {
    const { name } = await t.user()
    const user = name.toUpperCase()
    const response = await write(t, 'crab', { user, crab: [{}] }, { query: `?name=${user}` })
    expectSame(expectJson(response, 201).message, `Crab saved for user ${name}`, '"message"', response)
  }),
  check('write-for-owner-of-api-key', 'A write without a name is for the owner of the personal API key.', async (t) => {
    const id = await writeAndExpectId(t, 'fish', SHORT_PAYLOADS.fish, { query: '' })
    expectSame((await entriesOf(t, 'fish', id)).length, 1, "the entries in the owner's collection")
  }),
  check('write-name-before-api-key', 'A write with a name is not for the owner of the API key.', async (t) => {
    const user = await t.newUser()
    const response = await write(t, 'fish', SHORT_PAYLOADS.fish, { user })
    expectSame(expectJson(response, 201).message, `Fish saved for user ${user.name}`, '"message"', response)
  }),
  check('write-without-name', 'A write without a name and without a personal key is 400 missing_name.', async (t) => {
    const { name } = await t.user()
    const body = await encrypt(t, { user: name, fish: [ENTRY.fish] })
    const headers = { 'content-type': 'application/octet-stream', [HEADERS.gamemode]: 'earth' }
    await t.anonymous.ensure(1)
    expectError(await t.anonymous.send('/post/fish', { method: 'POST', headers, body }), 'missing_name')
  }),
  ...REFUSED.map(([id, what, code, { fields, query = 'name=USER', ...header }]) =>
    check(`write-${id}`, `A write ${what} is ${ERROR_CODES[code].status} ${code}.`, async (t) => {
      for (const kind of KINDS) {
        await expectNothingStored(t, async () => {
          const options = { ...header, query: `?${await fillNames(t, query)}` }
          expectError(await write(t, kind, { ...SHORT_PAYLOADS[kind], ...fields }, options), code)
        })
      }
    }),
  ),
  ...REFUSED_PAYLOADS.map(([id, what, kind, payload]) =>
    check(`payload-refused-${id}`, `A payload ${what} is 400 invalid_payload, and is not stored.`, async (t) =>
      expectNothingStored(t, async () => expectDetails(await write(t, kind, payload), 'invalid_payload')),
    ),
  ),
  ...ACCEPTED_PAYLOADS.map(([id, what, kind, payload, stored]) =>
    check(`payload-taken-${id}`, `A payload ${what} is stored correctly.`, async (t) => {
      const id = await writeAndExpectId(t, kind, payload)
      expectSame(await storedEntries(t, kind, id), stored, 'what is stored')
    }),
  ),
  ...(['fish', 'crab'] as const).map((kind) =>
    check(`payload-taken-500-${kind}`, `500 entries of ${kind} in one write are stored.`, async (t) => {
      const user = await t.newUser()
      await writeAndExpectId(t, kind, { [kind]: repeat(LIMITS.entriesPerWrite, ENTRY[kind]) }, { user })
      const { response, entries } = await detailedCollection(t, kind, user)
      const ids = entries.map(({ id }) => id)
      expectSame(
        [ids.length, new Set(ids).size],
        [LIMITS.entriesPerWrite, 1],
        'the number of entries and ids',
        response,
      )
    }),
  ),
])
