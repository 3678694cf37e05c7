import { createMock } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { describe, expect, test } from 'vitest'
import { run } from './harness.ts'

// Noon of a local day, so that the day is the same in every time zone.
const noon = (day: number, month = 3) => new Date(2026, month - 1, day, 12)
const NOW = noon(30).getTime()

const cod = (day: number) => ({ name: 'Cod', rarity: 1, caughtAt: noon(day).toISOString() }) as const

/** Runs `stats` for a player with catches on the days around a change of summer time. */
async function runStats(...argv: readonly string[]) {
  await using mock = await createMock({ startAt: NOW, seed: { users: [{ name: 'Alex' }] } })
  await using served = await mock.serve({ port: 0 })
  const { fish, crabs } = createClient(mock.client('Alex'))
  const rare = { ...cod(27), name: 'Leviathan', rarity: 7 } as const
  await fish.add([cod(1), cod(2), cod(26), cod(26), cod(26), rare], { gamemode: 'earth' })
  await fish.add([cod(28), { ...cod(29), name: 'Odd', rarity: 5 }, { ...rare, name: 'Kraken' }], {
    gamemode: 'survival',
  })
  await fish.add([{ ...rare, name: 'Kraken' }], { gamemode: 'factions' })
  await crabs.add([{ name: 'Hermit Crab', caughtAt: cod(29).caughtAt }], { gamemode: 'earth' })
  const env = { FISH_URL: served.url, FISH_USER: 'alex', FISH_GAMEMODE: 'earth', NO_COLOR: '1' }
  return await run(['stats', ...argv], { env, clock: { ...CLOCK, now: () => NOW } })
}

const CLOCK = { sleep: () => Promise.resolve() }

const json = async (...argv: readonly string[]) => JSON.parse((await runStats(...argv, '--json')).stdout)

describe('stats', () => {
  test('has totals, species, firsts, the rarest, the best day and streaks, over all gamemodes', async () => {
    expect(await json()).toMatchObject({
      user: 'Alex',
      since: null,
      fish: {
        total: 10,
        unique: 4,
        byGamemode: { oneblock: 0, earth: 6, survival: 3, factions: 1 },
        byRarity: { Bronze: 6, 'Unknown/Other': 1, Mythical: 3, Gold: 0 },
      },
      crab: { total: 1, unique: 1 },
      firsts: 5,
      // Caught less often than the Kraken of the same rarity.
      rarest: { name: 'Leviathan', rarity: 'Mythical', count: 1, gamemode: 'earth', caughtAt: cod(27).caughtAt },
      bestDay: { day: '2026-03-26', count: 3 },
      // Up to yesterday: today is not over.
      streak: { current: 4, longest: 4 },
    })
  })

  test('counts one gamemode, and only since a time, in which a known species is no first', async () => {
    expect(await json('-g', 'survival')).toMatchObject({ fish: { total: 3 }, firsts: 3, rarest: { name: 'Kraken' } })
    expect(await json('--since', '2026-03-28')).toMatchObject({
      since: new Date(2026, 2, 28).toISOString(),
      fish: { total: 2, unique: 2 },
      firsts: 2,
      rarest: { name: 'Cod' },
      bestDay: { day: '2026-03-29', count: 2 },
      streak: { current: 2, longest: 2 },
    })
    expect(await json('--since', '1h')).toMatchObject({
      firsts: 0,
      rarest: null,
      bestDay: null,
      streak: { longest: 0 },
    })
  })

  test('lists the species of a time, and shows a table and charts of the last 14 days', async () => {
    const { species } = await json('--species', '--since', '2026-03-29')
    expect(species).toMatchObject([{ name: 'Odd' }, { kind: 'crab', name: 'Hermit Crab' }])
    const table = (await runStats()).stdout
    expect(table).toMatch(/^fish +rarest +Leviathan, Mythical +1$/m)
    expect(table).toMatch(/^all +best day +2026-03-26 +3$/m)
    expect(table).toMatch(/^all +streak in days +longest +4$/m)
    const [counts = '', days = ''] = (await runStats('--chart')).stdout.split('\n\n')
    expect(counts).toMatch(/^fish earth +█+ 6$/m)
    expect(days.trim().split('\n')).toHaveLength(14)
    expect(days).toMatch(/^2026-03-26 +█+ 3$/m)
    expect((await runStats('--chart', '--since', '2026-03-29')).stdout).not.toContain('2026-03-26')
  })
})
