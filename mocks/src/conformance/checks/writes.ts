import { GAMEMODES, HEADERS, KINDS, type Kind, LIMITS } from '@fish-crab/sdk/contract'
import {
  encrypt,
  entriesOf,
  expectNothingStored,
  ONE,
  type PostOptions,
  queryOf,
  SHORT,
  write,
  writeAndExpectId,
} from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import { expectDetails, expectError, expectJson, expectSame, expectText } from '../context/expect.ts'
import { type CheckRow, checksOf } from './check.ts'

const NOUN = { fish: ['Fish', 'fish'], crab: ['Crab', 'crabs'] } as const

/** Valid writes: users and gamemodes. */
export const writesChecks = checksOf('writes', [
  ...KINDS.flatMap((kind): CheckRow[] => [
    [
      `write-${kind}-short`,
      `A ${kind} in the short payload form is stored: 201 with a message that names the user, and an id.`,
      async (context) => {
        const { name } = await context.user()
        const response = await write(context, kind, SHORT[kind])
        const { message, id, ...more } = expectJson(response, 201)
        expectSame(message, `${NOUN[kind][0]} saved for user ${name}`, '"message"', response)
        expectText(id, '"id"', response)
        expectSame(Object.keys(more), [], 'further fields', response)
      },
    ],
    [
      `write-${kind}-several`,
      `Several ${NOUN[kind][1]} in one write are one record with one id, and the message counts them.`,
      async (context) => {
        const { name } = await context.user()
        const entry = ONE[kind][0]
        const response = await write(context, kind, { user: name, gamemode: 'earth', [kind]: [entry, entry, entry] })
        const { message, id } = expectJson(response, 201)
        expectSame(message, `3 ${NOUN[kind][1]} saved for user ${name}`, '"message"', response)
        expectSame((await entriesOf(context, kind, String(id))).length, 3, 'the number of entries with the id')
      },
    ],
  ]),
  ...GAMEMODES.map(
    (gamemode): CheckRow => [
      `write-to-${gamemode}`,
      `A write to ${gamemode} can name it in the header, the query or the payload.`,
      async (context) => {
        const ways: readonly [unknown, PostOptions][] = [
          [SHORT.fish, { gamemode }],
          [SHORT.fish, { gamemode: null, query: await queryOf(context, `&gamemode=${gamemode}`) }],
          [{ ...SHORT.fish, gamemode }, { gamemode: null }],
          [{ gamemode, fish: ONE.fish }, { gamemode: null }],
        ]
        for (const [payload, options] of ways) {
          const id = await writeAndExpectId(context, 'fish', payload, options)
          expectSame((await entriesOf(context, 'fish', id, gamemode)).length, 1, `the entries in ${gamemode}`)
        }
      },
    ],
  ),
  [
    'write-name-in-any-letter-case',
    'A write finds its user in any letter case and returns the name as created.',
    async (context) => {
      const { name } = await context.user()
      const response = await write(
        context,
        'crab',
        { user: name.toUpperCase(), crab: [{}] },
        { query: `?name=${name.toUpperCase()}` },
      )
      expectSame(expectJson(response, 201).message, `Crab saved for user ${name}`, '"message"', response)
    },
  ],
  [
    'write-for-owner-of-api-key',
    'A write without a name is for the owner of the personal API key.',
    async (context) => {
      const id = await writeAndExpectId(context, 'fish', SHORT.fish, { query: '' })
      expectSame((await entriesOf(context, 'fish', id)).length, 1, "the entries in the owner's collection")
    },
  ],
  [
    'write-name-before-api-key',
    'A write with a name is for the named user, not for the owner of the API key.',
    async (context) => {
      const user = await context.newUser()
      const response = await write(context, 'fish', SHORT.fish, { user })
      expectSame(expectJson(response, 201).message, `Fish saved for user ${user.name}`, '"message"', response)
    },
  ],
])

function refused(
  id: string,
  title: string,
  code: Parameters<typeof expectError>[1],
  attempt: (context: TestContext, kind: Kind) => Promise<Parameters<typeof expectError>[0]>,
): CheckRow {
  return [
    id,
    title,
    async (context) => {
      for (const kind of KINDS) {
        await expectNothingStored(context, async () => void expectError(await attempt(context, kind), code))
      }
    },
  ]
}

/** Writes with a missing, invalid or ambiguous user or gamemode. */
export const writesRefusedChecks = checksOf('writes', [
  [
    'write-without-name',
    'A write without a name and without a personal API key is 400 missing_name, whatever the payload says.',
    async (context) => {
      const { name } = await context.user()
      const body = await encrypt(context, { user: name, fish: ONE.fish })
      const headers = { 'content-type': 'application/octet-stream', [HEADERS.gamemode]: 'earth' }
      await context.anonymous.ensure(1)
      expectError(await context.anonymous.send('/post/fish', { method: 'POST', headers, body }), 'missing_name')
    },
  ],
  refused(
    'write-unknown-user',
    'A write for an unknown user is 404 user_not_found.',
    'user_not_found',
    (context, kind) => write(context, kind, SHORT[kind], { query: `?name=${context.accounts.newName()}` }),
  ),
  refused(
    'write-without-gamemode',
    'A write without a gamemode is 400 missing_gamemode.',
    'missing_gamemode',
    (context, kind) => write(context, kind, SHORT[kind], { gamemode: null }),
  ),
  refused(
    'write-invalid-gamemode-header',
    'A write with an unknown gamemode in the header is 400 invalid_gamemode.',
    'invalid_gamemode',
    (context, kind) => write(context, kind, SHORT[kind], { gamemode: 'Earth' }),
  ),
  refused(
    'write-invalid-gamemode-query',
    'A write with an unknown gamemode in the query is 400 invalid_gamemode.',
    'invalid_gamemode',
    async (context, kind) =>
      write(context, kind, SHORT[kind], { gamemode: null, query: await queryOf(context, '&gamemode=moon') }),
  ),
  refused(
    'write-invalid-gamemode-payload',
    'A write with an unknown gamemode in the payload is 400 invalid_gamemode.',
    'invalid_gamemode',
    (context, kind) => write(context, kind, { ...SHORT[kind], gamemode: 'moon' }, { gamemode: null }),
  ),
  refused(
    'write-gamemodes-differ-header-payload',
    'A write whose header and payload name different gamemodes is 400 gamemode_mismatch.',
    'gamemode_mismatch',
    (context, kind) => write(context, kind, { ...SHORT[kind], gamemode: 'factions' }),
  ),
  refused(
    'write-gamemodes-differ-header-query',
    'A write whose header and query name different gamemodes is 400 gamemode_mismatch.',
    'gamemode_mismatch',
    async (context, kind) => write(context, kind, SHORT[kind], { query: await queryOf(context, '&gamemode=survival') }),
  ),
  refused(
    'write-gamemodes-differ-query-payload',
    'A write whose query and payload name different gamemodes is 400 gamemode_mismatch.',
    'gamemode_mismatch',
    async (context, kind) =>
      write(
        context,
        kind,
        { gamemode: 'oneblock', [kind]: ONE[kind] },
        { gamemode: null, query: await queryOf(context, '&gamemode=survival') },
      ),
  ),
  refused(
    'write-gamemodes-differ-in-query',
    'A write whose query names two gamemodes is 400 gamemode_mismatch.',
    'gamemode_mismatch',
    async (context, kind) =>
      write(context, kind, SHORT[kind], { query: await queryOf(context, '&gamemode=earth&gamemode=survival') }),
  ),
  refused(
    'write-users-differ-in-query',
    'A write whose query names two users is 400 user_mismatch.',
    'user_mismatch',
    async (context, kind) =>
      write(context, kind, SHORT[kind], { query: await queryOf(context, `&name=${context.accounts.newName()}`) }),
  ),
  refused(
    'write-users-differ',
    'A write whose payload names another user than the request is 400 user_mismatch.',
    'user_mismatch',
    (context, kind) => write(context, kind, { user: 'Steve', [kind]: ONE[kind] }),
  ),
])

const COD = { name: 'Cod', rarity: 1 }
const repeat = <Entry>(count: number, entry: Entry) => Array.from({ length: count }, () => entry)

const REFUSED: readonly (readonly [string, string, Kind, unknown])[] = [
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
  [
    'one-wrong-among-good',
    'with one invalid entry among valid ones',
    'fish',
    { fish: [COD, { name: 'Cod', rarity: 8 }, COD] },
  ],
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

const ACCEPTED: readonly (readonly [string, string, Kind, unknown, readonly unknown[]])[] = [
  [
    'fish-short',
    'of the short form, for a fish',
    'fish',
    { fish: 'Salmon', rarity: 3 },
    [{ name: 'Salmon', rarity: 'Gold' }],
  ],
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

/** Valid and invalid payloads. */
export const payloadsChecks = checksOf('writes', [
  ...REFUSED.map(
    ([id, what, kind, payload]): CheckRow => [
      `payload-refused-${id}`,
      `A payload ${what} is 400 invalid_payload with details, and nothing is stored.`,
      async (context) =>
        expectNothingStored(context, async () => expectDetails(await write(context, kind, payload), 'invalid_payload')),
    ],
  ),
  ...ACCEPTED.map(
    ([id, what, kind, payload, stored]): CheckRow => [
      `payload-taken-${id}`,
      `A payload ${what} is stored correctly.`,
      async (context) => {
        const entries = await entriesOf(context, kind, await writeAndExpectId(context, kind, payload))
        expectSame(
          entries.map(({ caughtAt: _, ...entry }) => entry),
          stored,
          'what is stored',
        )
      },
    ],
  ),
  ...(['fish', 'crab'] as const).map(
    (kind): CheckRow => [
      `payload-taken-500-${kind}`,
      `500 entries of ${kind} in one write are stored.`,
      async (context) => {
        const user = await context.newUser()
        await writeAndExpectId(context, kind, { [kind]: repeat(LIMITS.entriesPerWrite, ONE[kind][0]) }, { user })
        const response = await context.request(`/get/${kind}?name=${user.name}&gamemode=earth&detail=full`)
        const ids = [...response.text.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id)
        expectSame(
          [ids.length, new Set(ids).size],
          [LIMITS.entriesPerWrite, 1],
          'the number of entries and ids',
          response,
        )
      },
    ],
  ),
])
