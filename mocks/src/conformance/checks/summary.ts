import { KINDS, type Kind, type Profile, RARITY_LABELS } from '@fish-crab/sdk/contract'
import type { OwnUser } from '../context/accounts.ts'
import { KIND_NAMES, writeAndExpectId } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import { check, checksOf } from './check.ts'

const [NOON, ONE, TWO] = ['2025-01-31T12:00:00.000Z', '2025-01-31T13:00:00.000Z', '2025-01-31T14:00:00.000Z']

async function expectSummary(t: TestContext, kind: Kind, user: OwnUser, summary: object): Promise<void> {
  const response = await t.request(`/get/${kind}?name=${user.name}&gamemode=earth&summary=species`)
  expect.same(expect.json(response), { user: user.name, gamemode: 'earth', ...summary }, 'the summary', response)
}

const byRarity = (counts: Readonly<Record<string, number>>) => ({
  byRarity: { ...Object.fromEntries(RARITY_LABELS.map((label) => [label, 0])), ...counts },
})

const seen = (count: number, firstCaughtAt: string | undefined, lastCaughtAt: string | undefined) => ({
  count,
  firstCaughtAt,
  lastCaughtAt,
})

/** Catches of two species in one gamemode. {@link SUMMARIES} has the expected summaries. */
const CATCHES = {
  fish: [
    { name: 'Koi', rarity: 3, caughtAt: ONE },
    { name: 'Cod', rarity: 1, caughtAt: NOON },
    { name: 'Cod', rarity: 1, caughtAt: TWO },
    { name: 'Cod', rarity: 3, caughtAt: ONE },
  ],
  crab: [{ name: 'Hermit', caughtAt: ONE }, { caughtAt: NOON }, { caughtAt: TWO }],
} as const

const SUMMARIES = {
  fish: {
    total: 4,
    unique: 2,
    ...byRarity({ Bronze: 2, Gold: 2 }),
    species: [
      { name: 'Cod', rarity: 'Bronze', ...seen(2, NOON, TWO) },
      { name: 'Cod', rarity: 'Gold', ...seen(1, ONE, ONE) },
      { name: 'Koi', rarity: 'Gold', ...seen(1, ONE, ONE) },
    ],
  },
  crab: {
    total: 3,
    unique: 2,
    species: [
      { name: 'crab', ...seen(2, NOON, TWO) },
      { name: 'Hermit', ...seen(1, ONE, ONE) },
    ],
  },
} as const

const EMPTY = {
  fish: { total: 0, unique: 0, ...byRarity({}), species: [] },
  crab: { total: 0, unique: 0, species: [] },
} as const

/** Stores an entry with an older time, and removes its record. `meanwhile` runs while the record is stored. */
async function addAndRemove(t: TestContext, kind: Kind, user: OwnUser, entry: object, meanwhile?: () => unknown) {
  const extra = { ...entry, caughtAt: '2020-01-01T00:00:00Z' }
  const id = await writeAndExpectId(t, kind, { [kind]: [extra] }, { user })
  await meanwhile?.()
  const params = { name: user.name, id }
  expect.status(await t.asSuperadmin(`deleteUser${KIND_NAMES[kind]}`, { params, query: '?gamemode=earth' }), 204)
}

export const summaryChecks = checksOf('reads', [
  check('profile', 'A profile has the figures of all gamemodes, without removed records.', async (t) => {
    const user = await t.newUser()
    for (const kind of KINDS) await writeAndExpectId(t, kind, { [kind]: CATCHES[kind] }, { user })
    const read = () => t.request(`/get/profile?name=${user.name}&species=true`)
    const rarest = { name: 'Leviathan', rarity: 7 }
    await addAndRemove(t, 'fish', user, rarest, async () => expect.success(await read(), 'getProfile'))
    const response = await read()
    const { gamemodes, latest, streak, ...figures } = expect.json(response) as unknown as Profile
    const { total, unique, species } = SUMMARIES.fish
    const expected = {
      user: user.name,
      total: total + SUMMARIES.crab.total,
      unique: unique + SUMMARIES.crab.unique,
      firstCaughtAt: NOON,
      lastCaughtAt: TWO,
      byRarity: SUMMARIES.fish.byRarity,
      rarest: [species[1], species[2], species[0]],
      days: [{ day: NOON.slice(0, 10), count: 7 }],
      bestDay: { day: NOON.slice(0, 10), count: 7 },
    }
    expect.same(figures, expected, 'the figures', response)
    const earth = gamemodes.find(({ gamemode }) => gamemode === 'earth')
    expect.same(earth?.fish, { total, unique, lastCaughtAt: TWO, species }, 'the fish of earth', response)
    const fish = latest.filter(({ kind }) => kind === 'fish').map(({ name }) => name)
    expect.same(fish, ['Cod', 'Cod', 'Cod', 'Koi'].slice(0, fish.length), 'the latest fish', response)
    expect.same(latest.length, 5, 'the number of latest catches', response)
    expect.same(streak.longest, 1, 'the longest streak', response)
  }),
  ...KINDS.flatMap((kind) => [
    check(
      `summary-${kind}`,
      `The summary of ${kind} counts species and sorts them by count, then by name.`,
      async (t) => {
        const user = await t.newUser()
        await expectSummary(t, kind, user, EMPTY[kind])
        for (const entry of CATCHES[kind]) await writeAndExpectId(t, kind, { [kind]: [entry] }, { user })
        await expectSummary(t, kind, user, SUMMARIES[kind])
      },
    ),
    check(`summary-${kind}-removal`, `A removed record of ${kind} is no longer in the summary.`, async (t) => {
      const user = await t.newUser()
      await writeAndExpectId(t, kind, { [kind]: CATCHES[kind] }, { user })
      await addAndRemove(t, kind, user, CATCHES[kind][0])
      await expectSummary(t, kind, user, SUMMARIES[kind])
    }),
  ]),
])
