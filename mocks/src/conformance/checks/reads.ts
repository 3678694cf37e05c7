import { type ErrorCode, KINDS, RARITIES } from '@fish-crab/sdk/contract'
import { collection, entriesOf, written } from '../context/catches.ts'
import { expectError, expectMoment } from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const ERRORS: readonly (readonly [string, string, ErrorCode, string])[] = [
  ['without-name', 'without a name', 'missing_name', 'gamemode=earth'],
  ['empty-name', 'with an empty name', 'missing_name', 'name=&gamemode=earth'],
  ['without-gamemode', 'without a gamemode', 'missing_gamemode', 'name=USER'],
  ['empty-gamemode', 'with an empty gamemode', 'missing_gamemode', 'name=USER&gamemode='],
  ['invalid-gamemode', 'of another gamemode', 'invalid_gamemode', 'name=USER&gamemode=moon'],
  ['two-names', 'whose query names two users', 'user_mismatch', 'name=USER&name=OTHER&gamemode=earth'],
  [
    'two-gamemodes',
    'whose query says two gamemodes',
    'gamemode_mismatch',
    'name=USER&gamemode=earth&gamemode=survival',
  ],
  ['unknown-user', 'of a user whom nobody created', 'user_not_found', 'name=OTHER&gamemode=earth'],
]

const rows: readonly CheckRow[] = [
  ...KINDS.flatMap((kind) =>
    ERRORS.map(
      ([id, what, code, query]): CheckRow => [
        `read-${kind}-${id}`,
        `A read of ${kind} ${what} is ${code}.`,
        async (world) => {
          const { name } = await world.user()
          const filled = query.replace('USER', name).replace('OTHER', world.accounts.newName())
          expectError(await world.request(`/get/${kind}?${filled}`), code)
        },
      ],
    ),
  ),
  ...KINDS.flatMap((kind): CheckRow[] => [
    [
      `read-${kind}-empty`,
      `A collection of ${kind} that nothing was added to is an empty array.`,
      async (world) => {
        const user = await world.newUser()
        const { body, answer } = await collection(world, kind, user)
        expectSame(body, { user: user.name, [kind]: [] }, 'the body', answer)
      },
    ],
    [
      `read-${kind}-oldest-first`,
      `A read of ${kind} holds every entry once, oldest first, in the documented shape.`,
      async (world) => {
        const user = await world.newUser()
        const names = ['Cod', 'Eel', 'Ant', 'Cod']
        const entry = (name: string) => (kind === 'fish' ? { name, rarity: 1 } : { name })
        await written(world, kind, { [kind]: names.slice(0, 2).map(entry) }, { user })
        for (const name of names.slice(2)) await written(world, kind, { [kind]: [entry(name)] }, { user })
        const { answer, body } = await collection(world, kind, user)
        const listed = names.map((name) => (kind === 'fish' ? { name, rarity: 'Bronze' } : { name }))
        expectSame(body, { user: user.name, [kind]: listed }, 'the body', answer)
      },
    ],
  ]),
  [
    'read-rarity-labels',
    'Each of the seven rarities is answered as its label.',
    async (world) => {
      const fish = RARITIES.map(({ value }) => ({ name: `Fish ${value}`, rarity: value }))
      const entries = await entriesOf(world, 'fish', await written(world, 'fish', { fish }))
      expectSame(
        entries.map(({ rarity }) => rarity),
        RARITIES.map(({ label }) => label),
        'the labels of 1 to 7',
      )
    },
  ],
  [
    'read-detail-full',
    'With detail=full every entry has the id of its record and the time of the catch too, and only then.',
    async (world) => {
      const user = await world.user()
      const id = await written(world, 'crab', { crab: [{}, {}] })
      const { entries, answer } = await collection(world, 'crab', user, '&detail=full')
      expectSame(entries.filter((entry) => entry.id === id).length, 2, 'the number of entries with the id', answer)
      for (const entry of entries) {
        expectSame(Object.keys(entry).sort(), ['caughtAt', 'id', 'name'], 'the fields', answer)
        expectMoment(entry.caughtAt, '"caughtAt"', answer)
      }
      const plain = await collection(world, 'crab', user)
      for (const entry of plain.entries) expectSame(Object.keys(entry), ['name'], 'the fields', plain.answer)
    },
  ],
  [
    'read-caught-at-of-token',
    "An entry's time is that of the token, where the payload says none.",
    async (world) => {
      const [entry] = await entriesOf(world, 'fish', await written(world, 'fish', { fish: 'Cod', rarity: 1 }))
      const expected = Math.floor((await world.now()) / 1000) * 1000
      expectThat(
        expectMoment(entry?.caughtAt, '"caughtAt"') === expected,
        `"caughtAt" ${new Date(expected).toISOString()}, the time of the token`,
        entry?.caughtAt,
      )
    },
  ],
  [
    'read-caught-at-of-payload',
    "An entry's time is the payload's own, where it says one.",
    async (world) => {
      const caughtAt = '2024-02-29T12:34:56.789+02:00'
      const [entry] = await entriesOf(world, 'crab', await written(world, 'crab', { crab: [{ caughtAt }] }))
      const actual = expectMoment(entry?.caughtAt, '"caughtAt"')
      expectThat(actual === Date.parse(caughtAt), `"caughtAt" to be the moment ${caughtAt}`, entry?.caughtAt)
    },
  ],
]

/** What reads answer. */
export const readsChecks = checksOf('reads', rows)
