import { GAMEMODES, KINDS } from '@fish-crab/sdk/contract'
import { entriesOf, ONE, type PostOptions, queryOf, SHORT, write, written } from '../context/catches.ts'
import { expectJson, expectText } from '../context/expect-answer.ts'
import { expectSame } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const NOUN = { fish: ['Fish', 'fish'], crab: ['Crab', 'crabs'] } as const

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
]

/** Writes that are saved: for whom, to which gamemode. */
export const writesChecks = checksOf('writes', rows)
