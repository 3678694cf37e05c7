import { GAMEMODES, HEADERS, KINDS, type Kind } from '@fish-crab/sdk/contract'
import { entriesOf, expectNothingStored, type PostOptions, SHORT, seal, write, written } from '../catches.ts'
import { type CheckRow, checksOf } from '../check.ts'
import { expectError, expectJson, expectText } from '../expect-answer.ts'
import { expectSame } from '../expectation.ts'
import type { World } from '../world.ts'

const ONE = { fish: [{ name: 'Cod', rarity: 1 }], crab: [{}] } as const
const NOUN = { fish: ['Fish', 'fish'], crab: ['Crab', 'crabs'] } as const

function refused(
  id: string,
  title: string,
  code: Parameters<typeof expectError>[1],
  attempt: (world: World, kind: Kind) => Promise<Parameters<typeof expectError>[0]>,
): CheckRow {
  return [
    id,
    title,
    async (world) => {
      for (const kind of KINDS) {
        await expectNothingStored(world, async () => void expectError(await attempt(world, kind), code))
      }
    },
  ]
}

const queryOf = async (world: World, more = '') => `?name=${(await world.user()).name}${more}`

const rows: readonly CheckRow[] = [
  ...KINDS.flatMap((kind): CheckRow[] => [
    [
      `write-${kind}-short`,
      `A ${kind} of the short payload form is saved: 201, a message that names the user, an id.`,
      async (world) => {
        const { name } = await world.user()
        const answer = await write(world, kind, SHORT[kind])
        const { message, id, ...more } = expectJson(answer, 201)
        expectSame(message, `${NOUN[kind][0]} saved for user ${name}`, '"message"', answer)
        expectText(id, '"id"', answer)
        expectSame(Object.keys(more), [], 'further fields', answer)
      },
    ],
    [
      `write-${kind}-several`,
      `Several ${NOUN[kind][1]} in one write are one record with one id, and the message counts them.`,
      async (world) => {
        const { name } = await world.user()
        const entry = ONE[kind][0]
        const answer = await write(world, kind, { user: name, gamemode: 'earth', [kind]: [entry, entry, entry] })
        const { message, id } = expectJson(answer, 201)
        expectSame(message, `3 ${NOUN[kind][1]} saved for user ${name}`, '"message"', answer)
        expectSame((await entriesOf(world, kind, String(id))).length, 3, 'the number of entries with the id')
      },
    ],
  ]),
  ...GAMEMODES.map(
    (gamemode): CheckRow => [
      `write-to-${gamemode}`,
      `A write to ${gamemode} takes it from the header, else the query, else the payload.`,
      async (world) => {
        const ways: readonly [unknown, PostOptions][] = [
          [SHORT.fish, { gamemode }],
          [SHORT.fish, { gamemode: null, query: await queryOf(world, `&gamemode=${gamemode}`) }],
          [{ ...SHORT.fish, gamemode }, { gamemode: null }],
          [{ gamemode, fish: ONE.fish }, { gamemode: null }],
        ]
        for (const [payload, options] of ways) {
          const id = await written(world, 'fish', payload, options)
          expectSame((await entriesOf(world, 'fish', id, gamemode)).length, 1, `the entries in ${gamemode}`)
        }
      },
    ],
  ),
  [
    'write-name-in-any-letter-case',
    'A write finds its user in any letter case, and names it as created.',
    async (world) => {
      const { name } = await world.user()
      const answer = await write(
        world,
        'crab',
        { user: name.toUpperCase(), crab: [{}] },
        { query: `?name=${name.toUpperCase()}` },
      )
      expectSame(expectJson(answer, 201).message, `Crab saved for user ${name}`, '"message"', answer)
    },
  ],
  [
    'write-for-owner-of-api-key',
    'A write without a name is for the owner of the personal API key.',
    async (world) => {
      const id = await written(world, 'fish', SHORT.fish, { query: '' })
      expectSame((await entriesOf(world, 'fish', id)).length, 1, "the entries in the owner's collection")
    },
  ],
  [
    'write-name-before-api-key',
    'A write with a name is for the named user, whoever owns the API key.',
    async (world) => {
      const user = await world.newUser()
      const answer = await write(world, 'fish', SHORT.fish, { user })
      expectSame(expectJson(answer, 201).message, `Fish saved for user ${user.name}`, '"message"', answer)
    },
  ],
  [
    'write-without-name',
    'A write without a name and without a personal API key is 400 missing_name, whatever the payload says.',
    async (world) => {
      const { name } = await world.user()
      const body = await seal(world, { user: name, fish: ONE.fish })
      const headers = { 'content-type': 'application/octet-stream', [HEADERS.gamemode]: 'earth' }
      await world.anonymous.ensure(1)
      expectError(await world.anonymous.send('/post/fish', { method: 'POST', headers, body }), 'missing_name')
    },
  ],
  refused(
    'write-unknown-user',
    'A write for a user whom nobody created is 404 user_not_found.',
    'user_not_found',
    (world, kind) => write(world, kind, SHORT[kind], { query: `?name=${world.accounts.newName()}` }),
  ),
  refused(
    'write-without-gamemode',
    'A write that says no gamemode is 400 missing_gamemode.',
    'missing_gamemode',
    (world, kind) => write(world, kind, SHORT[kind], { gamemode: null }),
  ),
  refused(
    'write-invalid-gamemode-header',
    'A write whose header names no gamemode there is, is 400 invalid_gamemode.',
    'invalid_gamemode',
    (world, kind) => write(world, kind, SHORT[kind], { gamemode: 'Earth' }),
  ),
  refused(
    'write-invalid-gamemode-query',
    'A write whose query names no gamemode there is, is 400 invalid_gamemode.',
    'invalid_gamemode',
    async (world, kind) =>
      write(world, kind, SHORT[kind], { gamemode: null, query: await queryOf(world, '&gamemode=moon') }),
  ),
  refused(
    'write-invalid-gamemode-payload',
    'A write whose payload names no gamemode there is, is 400 invalid_gamemode.',
    'invalid_gamemode',
    (world, kind) => write(world, kind, { ...SHORT[kind], gamemode: 'moon' }, { gamemode: null }),
  ),
  refused(
    'write-gamemodes-differ-header-payload',
    'A write whose header and payload name different gamemodes is 400 gamemode_mismatch.',
    'gamemode_mismatch',
    (world, kind) => write(world, kind, { ...SHORT[kind], gamemode: 'factions' }),
  ),
  refused(
    'write-gamemodes-differ-header-query',
    'A write whose header and query name different gamemodes is 400 gamemode_mismatch.',
    'gamemode_mismatch',
    async (world, kind) => write(world, kind, SHORT[kind], { query: await queryOf(world, '&gamemode=survival') }),
  ),
  refused(
    'write-gamemodes-differ-query-payload',
    'A write whose query and payload name different gamemodes is 400 gamemode_mismatch.',
    'gamemode_mismatch',
    async (world, kind) =>
      write(
        world,
        kind,
        { gamemode: 'oneblock', [kind]: ONE[kind] },
        { gamemode: null, query: await queryOf(world, '&gamemode=survival') },
      ),
  ),
  refused(
    'write-users-differ',
    'A write whose payload names another user than the request is 400 user_mismatch.',
    'user_mismatch',
    (world, kind) => write(world, kind, { user: 'Steve', [kind]: ONE[kind] }),
  ),
]

/** Writes: for whom, to which gamemode. */
export const writesChecks = checksOf('writes', rows)
