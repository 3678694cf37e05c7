import { GAMEMODES, RARITY_LABELS } from '@fish-crab/sdk/contract'
import { writeAndExpectId } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import { expectBadRequest, expectJson, expectList, expectSame, expectThat } from '../context/expect.ts'
import { check, checksOf } from './check.ts'

type Counts = Readonly<Record<string, number>>

interface Stats {
  readonly users: number
  readonly fish: { readonly total: number; readonly byGamemode: Counts; readonly byRarity: Counts }
  readonly crab: { readonly total: number; readonly byGamemode: Counts }
}

interface Place {
  readonly name: string
  readonly count: number
}

const sum = (counts: Counts = {}) => Object.values(counts).reduce((total, count) => total + count, 0)

async function stats(t: TestContext): Promise<Stats> {
  const response = await t.asSuperadmin('stats')
  const found = expectJson(response) as unknown as Stats
  expectSame(Object.keys(found.fish?.byGamemode ?? {}).sort(), [...GAMEMODES].sort(), 'fish.byGamemode', response)
  expectSame(Object.keys(found.crab?.byGamemode ?? {}).sort(), [...GAMEMODES].sort(), 'crab.byGamemode', response)
  expectSame(Object.keys(found.fish?.byRarity ?? {}).sort(), [...RARITY_LABELS].sort(), 'fish.byRarity', response)
  return found
}

/** Others may write in the meantime, so only a lower bound is checked. */
function expectIncrease(before: number, after: number, by: number, what: string): void {
  expectThat(after >= before + by, `${what} to grow by at least ${by}`, `${after - before}`)
}

export const adminReportsChecks = checksOf('admin', [
  check('stats-add-up', 'The counts by gamemode and by rarity add up to the totals.', async (t) => {
    await writeAndExpectId(t, 'fish', { fish: [1, 4].map((rarity) => ({ name: 'Cod', rarity })) })
    await writeAndExpectId(t, 'crab', { crab: [{}] })
    const { users, fish, crab } = await stats(t)
    expectThat(Number.isInteger(users) && users >= 0, 'an integer number of users', users)
    expectSame([sum(fish.byGamemode), sum(fish.byRarity)], [fish.total, fish.total], 'the sums of fish')
    expectSame(sum(crab.byGamemode), crab.total, 'the sum of crabs')
  }),
  check('stats-count-catches', 'New users, fish and crabs are counted, by gamemode and rarity.', async (t) => {
    await t.user()
    const before = await stats(t)
    await t.newUser()
    const fish = [1, 2, 3].map(() => ({ name: 'Leviathan', rarity: 7 }))
    await writeAndExpectId(t, 'fish', { fish }, { gamemode: 'oneblock' })
    await writeAndExpectId(t, 'crab', { crab: [{}, {}] }, { gamemode: 'factions' })
    const after = await stats(t)
    expectIncrease(before.users, after.users, 1, 'the users')
    expectIncrease(before.fish.total, after.fish.total, 3, 'the fish')
    expectIncrease(before.fish.byGamemode.oneblock ?? 0, after.fish.byGamemode.oneblock ?? 0, 3, 'the fish of oneblock')
    expectIncrease(before.fish.byRarity.Mythical ?? 0, after.fish.byRarity.Mythical ?? 0, 3, 'the Mythical fish')
    expectIncrease(
      before.crab.byGamemode.factions ?? 0,
      after.crab.byGamemode.factions ?? 0,
      2,
      'the crabs of factions',
    )
  }),
  ...(
    [
      ['leaderboard-fish', 'fish', 'factions'],
      ['leaderboard-crab', 'crab', 'survival'],
      ['leaderboard-of-all-gamemodes', 'fish', undefined],
    ] as const
  ).map(([id, type, gamemode]) =>
    check(
      id,
      `The leaderboard of ${type}${gamemode ? ` in ${gamemode}` : ''} names its type and gamemode, is sorted best first, and honours the limit.`,
      async (t) => {
        const entry = type === 'fish' ? { name: 'Cod', rarity: 1 } : {}
        for (const entries of [[entry], [entry, entry]]) {
          const user = await t.newUser()
          await writeAndExpectId(t, type, { [type]: entries }, { user, gamemode: gamemode ?? 'earth' })
        }
        const query = `?type=${type}${gamemode ? `&gamemode=${gamemode}` : ''}&limit=2`
        const response = await t.asSuperadmin('leaderboard', { query })
        const body = expectJson(response)
        expectSame(body.type, type, '"type"', response)
        if (gamemode) expectSame(body.gamemode, gamemode, '"gamemode"', response)
        const list = expectList<Place>(response, 'leaderboard')
        expectSame(list.length, 2, 'the number of places', response)
        for (const place of list) {
          const isPlace = typeof place.name === 'string' && Number.isInteger(place.count) && place.count > 0
          expectThat(isPlace, 'places of { name, count }', Object.keys(place), response)
        }
        const [first = 0, second = 0] = list.map(({ count }) => count)
        expectThat(first >= second, 'the counts, best first', [first, second], response)
      },
    ),
  ),
  check(
    'leaderboard-counts',
    'The leaderboard counts the catches of each user and lists the best first.',
    async (t) => {
      const best = await t.newUser()
      const second = await t.newUser()
      const crabs = (count: number) => ({ crab: Array.from({ length: count }, () => ({})) })
      await writeAndExpectId(t, 'crab', crabs(5), { user: second, gamemode: 'oneblock' })
      await writeAndExpectId(t, 'crab', crabs(7), { user: best, gamemode: 'oneblock' })
      const response = await t.asSuperadmin('leaderboard', { query: '?type=crab&gamemode=oneblock&limit=1000' })
      const list = expectList<Place>(response, 'leaderboard')
      // The users of the run may be behind a thousand others.
      if (list.length === 1000 && (list.at(-1)?.count ?? 0) >= 5) return
      const own = list.filter(({ name }) => name === best.name || name === second.name).map(({ count }) => count)
      expectSame(own, [7, 5], 'the counts of both users', response)
    },
  ),
  check('leaderboard-unknown-type', 'A leaderboard of an unknown type or gamemode is 400.', async (t) => {
    for (const query of ['', '?type=whale', '?type=fish&gamemode=moon', '?type=fish&limit=0']) {
      expectBadRequest(await t.asSuperadmin('leaderboard', { query }))
    }
  }),
])
