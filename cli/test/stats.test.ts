import { createMock } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { describe, expect, test } from 'vitest'
import { run } from './harness.ts'

const noon = (day: number) => new Date(Date.UTC(2026, 2, day, 12))
const NOW = noon(30).getTime()

const cod = (day: number) => ({ name: 'Cod', rarity: 1, caughtAt: noon(day).toISOString() }) as const

/** Runs `stats` for a player with catches on several days. */
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
  test('prints the profile of the service as JSON', async () => {
    expect(await json()).toMatchObject({
      user: 'Alex',
      total: 11,
      unique: 5,
      byRarity: { Bronze: 6, 'Unknown/Other': 1, Mythical: 3, Gold: 0 },
      gamemodes: [
        { gamemode: 'oneblock', fish: { total: 0 } },
        { gamemode: 'earth', fish: { total: 6 }, crab: { total: 1 } },
        { gamemode: 'survival', fish: { total: 3 } },
        { gamemode: 'factions', fish: { total: 1 } },
      ],
      // Leviathan has fewer catches than Kraken, which has the same rarity.
      rarest: [{ name: 'Leviathan', rarity: 'Mythical', count: 1 }, { name: 'Kraken', count: 2 }, {}, {}],
      bestDay: { day: '2026-03-26', count: 3 },
      // The current streak may end yesterday, because today is not over.
      streak: { current: 4, longest: 4 },
    })
  })

  test('lists the species of all gamemodes in one list', async () => {
    const { species } = await json('--species')
    expect(
      species.map(({ kind, name, count }: { kind: string; name: string; count: number }) => [kind, name, count]),
    ).toEqual([
      ...[
        ['fish', 'Cod', 6],
        ['fish', 'Kraken', 2],
        ['fish', 'Leviathan', 1],
        ['fish', 'Odd', 1],
      ],
      ['crab', 'Hermit Crab', 1],
    ])
    expect(species[0]).toMatchObject({ firstCaughtAt: noon(1).toISOString(), lastCaughtAt: noon(28).toISOString() })
  })

  test('shows a table, and charts of the last 14 days', async () => {
    const table = (await runStats()).stdout
    expect(table).toMatch(/^fish +total +10$/m)
    expect(table).toMatch(/^fish +rarest +Leviathan, Mythical +1$/m)
    expect(table).toMatch(/^all +best day +2026-03-26 +3$/m)
    expect(table).toMatch(/^all +streak in days +longest +4$/m)
    const [counts = '', days = ''] = (await runStats('--chart')).stdout.split('\n\n')
    expect(counts).toMatch(/^fish earth +█+ 6$/m)
    expect(days.trim().split('\n')).toHaveLength(14)
    expect(days).toMatch(/^2026-03-26 +█+ 3$/m)
  })
})
