import { GAMEMODES, RARITY_LABELS } from '@fish-crab/sdk/contract'
import { written } from '../context/catches.ts'
import type { World } from '../context/context.ts'
import { expectErrorForm, expectJson, expectStatus } from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

type Counts = Readonly<Record<string, number>>

interface Stats {
  readonly users: number
  readonly fish: { readonly total: number; readonly byGamemode: Counts; readonly byRarity: Counts }
  readonly crab: { readonly total: number; readonly byGamemode: Counts }
}

const sum = (counts: Counts = {}) => Object.values(counts).reduce((total, count) => total + count, 0)

async function stats(world: World): Promise<Stats> {
  const answer = await world.asSuperadmin('stats')
  const found = expectJson(answer) as unknown as Stats
  expectSame(Object.keys(found.fish?.byGamemode ?? {}).sort(), [...GAMEMODES].sort(), 'fish.byGamemode', answer)
  expectSame(Object.keys(found.crab?.byGamemode ?? {}).sort(), [...GAMEMODES].sort(), 'crab.byGamemode', answer)
  expectSame(Object.keys(found.fish?.byRarity ?? {}).sort(), [...RARITY_LABELS].sort(), 'fish.byRarity', answer)
  return found
}

/** Others may add meanwhile, so counts are only ever compared from below. */
function expectGrown(before: number, after: number, by: number, what: string): void {
  expectThat(after >= before + by, `${what} to grow by at least ${by}`, `${after - before}`)
}

const rows: readonly CheckRow[] = [
  [
    'stats-add-up',
    'The counts by gamemode and by rarity add up to the totals.',
    async (world) => {
      await written(world, 'fish', { fish: [1, 4].map((rarity) => ({ name: 'Cod', rarity })) })
      await written(world, 'crab', { crab: [{}] })
      const { users, fish, crab } = await stats(world)
      expectThat(Number.isInteger(users) && users >= 0, 'a whole number of users', users)
      expectSame([sum(fish.byGamemode), sum(fish.byRarity)], [fish.total, fish.total], 'the sums of fish')
      expectSame(sum(crab.byGamemode), crab.total, 'the sum of crabs')
    },
  ],
  [
    'stats-count-catches',
    'New users, fish and crabs are counted, under their gamemode and rarity.',
    async (world) => {
      await world.user()
      const before = await stats(world)
      await world.newUser()
      const fish = [1, 2, 3].map(() => ({ name: 'Leviathan', rarity: 7 }))
      await written(world, 'fish', { fish }, { gamemode: 'oneblock' })
      await written(world, 'crab', { crab: [{}, {}] }, { gamemode: 'factions' })
      const after = await stats(world)
      expectGrown(before.users, after.users, 1, 'the users')
      expectGrown(before.fish.total, after.fish.total, 3, 'the fish')
      expectGrown(before.fish.byGamemode.oneblock ?? 0, after.fish.byGamemode.oneblock ?? 0, 3, 'the fish of oneblock')
      expectGrown(before.fish.byRarity.Mythical ?? 0, after.fish.byRarity.Mythical ?? 0, 3, 'the Mythical fish')
      expectGrown(before.crab.byGamemode.factions ?? 0, after.crab.byGamemode.factions ?? 0, 2, 'the crabs of factions')
    },
  ],
  ...(
    [
      ['leaderboard-fish', 'fish', 'factions'],
      ['leaderboard-crab', 'crab', 'survival'],
      ['leaderboard-of-all-gamemodes', 'fish', undefined],
    ] as const
  ).map(
    ([id, type, gamemode]): CheckRow => [
      id,
      `The leaderboard of ${type}${gamemode ? ` in ${gamemode}` : ''} says what it is of, best first, as many as asked for.`,
      async (world) => {
        const entry = type === 'fish' ? { name: 'Cod', rarity: 1 } : {}
        for (const entries of [[entry], [entry, entry]]) {
          const user = await world.newUser()
          await written(world, type, { [type]: entries }, { user, gamemode: gamemode ?? 'earth' })
        }
        const query = `?type=${type}${gamemode ? `&gamemode=${gamemode}` : ''}&limit=2`
        const answer = await world.asSuperadmin('leaderboard', { query })
        const body = expectJson(answer)
        expectSame(body.type, type, '"type"', answer)
        if (gamemode) expectSame(body.gamemode, gamemode, '"gamemode"', answer)
        const list = body.leaderboard as { readonly name: unknown; readonly count: number }[]
        expectThat(Array.isArray(list) && list.length === 2, '2 places', list?.length, answer)
        for (const place of list) {
          const isPlace = typeof place.name === 'string' && Number.isInteger(place.count) && place.count > 0
          expectThat(isPlace, 'places of { name, count }', Object.keys(place), answer)
        }
        const counts = list.map(({ count }) => count)
        expectSame(
          counts,
          [...counts].sort((one, other) => other - one),
          'the counts, best first',
          answer,
        )
      },
    ],
  ),
  [
    'leaderboard-counts',
    'Among users of its own, the leaderboard counts each and puts the best first.',
    async (world) => {
      const best = await world.newUser()
      const second = await world.newUser()
      const crabs = (count: number) => ({ crab: Array.from({ length: count }, () => ({})) })
      await written(world, 'crab', crabs(5), { user: second, gamemode: 'oneblock' })
      await written(world, 'crab', crabs(7), { user: best, gamemode: 'oneblock' })
      const answer = await world.asSuperadmin('leaderboard', { query: '?type=crab&gamemode=oneblock&limit=1000' })
      const list = expectJson(answer).leaderboard as { readonly name: string; readonly count: number }[]
      expectThat(Array.isArray(list), 'an array under "leaderboard"', typeof list, answer)
      // Of a thousand better ones nothing can be said.
      if (list.length === 1000 && (list.at(-1)?.count ?? 0) >= 5) return
      const own = list.filter(({ name }) => name === best.name || name === second.name).map(({ count }) => count)
      expectSame(own, [7, 5], 'the counts of both users', answer)
    },
  ],
  [
    'leaderboard-unknown-type',
    'A leaderboard of something else, or of no gamemode there is, is 400.',
    async (world) => {
      for (const query of ['', '?type=whale', '?type=fish&gamemode=moon', '?type=fish&limit=0']) {
        const answer = await world.asSuperadmin('leaderboard', { query })
        expectStatus(answer, 400)
        expectErrorForm(answer)
      }
    },
  ],
]

/** Counts of all there is. */
export const adminReportsChecks = checksOf('admin', rows)
