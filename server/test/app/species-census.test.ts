import { foldSpeciesName, type SpeciesList } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { createSpeciesCensus, type SpeciesPolicy, speciesMistakes } from '../../src/app/catches/species-census.ts'
import { createSlices } from '../../src/app/core/slices.ts'

const FIRST = Date.UTC(2026, 0, 1)
const tally = (name: string, label: string | null = 'Gold', first = FIRST) => ({
  name,
  label,
  count: 1,
  first,
  last: first,
})

/** Counts the fish of each player, given by name. */
async function census(players: readonly (readonly string[])[], policy: SpeciesPolicy = {}, maxCounted?: number) {
  const slices = createSlices()
  const counted = createSpeciesCensus(policy, maxCounted)
  for (const names of players) {
    await counted.addPlayer([{ kind: 'fish', species: names.map((name) => tally(name)) }], slices)
  }
  return counted.result(slices)
}

const namesOf = async (...args: Parameters<typeof census>) => (await census(...args)).species.map(({ name }) => name)

describe('the fold of a name', () => {
  it.each([
    ['Golden  Koi', 'golden koi'],
    ['  GOLDEN\u00a0KOI ', 'golden koi'],
    ['G\u200bolden\u2060 K\ufefFoi', 'golden koi'],
    ['\u202eGolden Koi\u202c', 'golden koi'],
    ['\u2067Golden\u2069 \u061cKoi\u200f', 'golden koi'],
    ['Golden\u00ad Koi\ufe0f', 'golden koi'],
    ['Ｇｏｌｄｅｎ　Ｋｏｉ', 'golden koi'],
    ['cafe\u200b\u0301', 'caf\u00e9'],
    ['\u200b\u2060\u3164', ''],
    ['\ufdfa'.repeat(100), ''],
  ])('turns %j into %j', (name, folded) => {
    expect(foldSpeciesName(name)).toBe(folded)
  })
})

describe('a census of species', () => {
  it('counts a player once for all gamemodes, labels and spellings, and every catch', async () => {
    const slices = createSlices()
    const counted = createSpeciesCensus({ minPlayers: 2 })
    const earth = { kind: 'fish' as const, species: [tally('Koi', 'Gold'), tally('koi', 'Mythical')] }
    const survival = { kind: 'fish' as const, species: [tally('KOI', 'Bronze', FIRST - 1000)] }
    await counted.addPlayer([earth, survival], slices)
    await counted.addPlayer([earth], slices)
    expect(await counted.result(slices)).toEqual({
      players: 2,
      species: [
        {
          kind: 'fish',
          name: 'koi',
          rarities: ['Bronze', 'Gold', 'Mythical'],
          players: 2,
          catches: 5,
          firstCaughtAt: new Date(FIRST - 1000).toISOString(),
        },
      ],
    })
  })

  it('lists a species from three players on, or from the number of the operator', async () => {
    const players = [['Koi', 'Eel', 'Cod'], ['Koi', 'Eel'], ['Koi']]
    expect(await namesOf(players)).toEqual(['Koi'])
    expect(await namesOf(players, { minPlayers: 2 })).toEqual(['Koi', 'eel'])
    expect(await namesOf(players, { minPlayers: 1 })).toEqual(['Koi', 'eel', 'cod'])
  })

  it('shows the spelling of most players if three players have it, and otherwise the folded name', async () => {
    expect(await namesOf([['Koi'], ['Koi'], ['Koi'], ['KOI']])).toEqual(['Koi'])
    expect(await namesOf([['Koi'], ['Koi'], ['KOI'], ['K\u200boi']])).toEqual(['koi'])
    expect(await namesOf([['koi'], ['koi'], ['koi'], ['koi'], ['KOI'], ['KOI'], ['KOI']])).toEqual(['koi'])
  })

  it('separates a fish from a crab of the same name, and gives crabs no rarities', async () => {
    const slices = createSlices()
    const counted = createSpeciesCensus({ minPlayers: 1 })
    const crabs = { kind: 'crab' as const, species: [tally('king', null)] }
    await counted.addPlayer([crabs, { kind: 'fish', species: [tally('king')] }], slices)
    const { species } = await counted.result(slices)
    expect(species.map(({ kind, rarities }) => [kind, rarities])).toEqual([
      ['crab', []],
      ['fish', ['Gold']],
    ])
  })

  it('lists most players first, then most catches, then by name, up to 2,000 species', async () => {
    const many = Array.from({ length: 2100 }, (_, index) => `fish ${String(index).padStart(4, '0')}`)
    const names = await namesOf([[...many, 'fish 2000'], ['fish 1999']], { minPlayers: 1 })
    expect(names).toHaveLength(2000)
    expect(names.slice(0, 4)).toEqual(['fish 1999', 'fish 2000', 'fish 0000', 'fish 0001'])
  })

  it('lists exactly the species of the operator, under the names of the operator', async () => {
    const list: SpeciesList = [
      { name: 'Blue Whale', kind: 'fish', hint: 'Rare' },
      { name: 'Koi', kind: 'fish' },
    ]
    const { species } = await census([['KOI', 'Eel'], ['Eel'], ['Eel']], { list })
    expect(species).toEqual([
      expect.objectContaining({ name: 'Koi', players: 1, listed: true }),
      { kind: 'fish', name: 'Blue Whale', rarities: [], players: 0, catches: 0, listed: true, hint: 'Rare' },
    ])
  })

  it('forgets names and spellings of single players when there are too many, and keeps popular species', async () => {
    const spam = (player: number) => [
      ...Array.from({ length: 500 }, (_, index) => `spam ${player} ${index}`),
      // 512 spellings of one name.
      ...Array.from({ length: 512 }, (_, bits) =>
        [...'goldentro'].map((letter, at) => (bits & (1 << at) ? letter.toUpperCase() : letter)).join(''),
      ),
    ]
    const players = Array.from({ length: 20 }, (_, player) => ['Koi', ...(player < 4 ? [] : spam(player))])
    const { species } = await census(players, {}, 700)
    expect(species.find(({ name }) => name === 'Koi')?.players).toBe(20)
    expect(species.some(({ name }) => name.startsWith('spam'))).toBe(false)
  })
})

describe('a list of species', () => {
  it.each([
    [{}, ['Invalid input: expected array, received object']],
    [[], ['Too small: expected array to have >=1 items']],
    [[{ name: 'Koi' }], ['entry 1: kind: Invalid option: expected one of "fish"|"crab"']],
    [
      [
        { name: 'Koi', kind: 'fish', rarity: 1 },
        { name: '', kind: 'crab' },
      ],
      ['entry 1: Unrecognized key: "rarity"', 'entry 2: name: Must be 1 to 100 characters with no control characters'],
    ],
    [[{ name: 'king', kind: 'crab', rarities: ['Gold'] }], ['entry 1: A crab has no rarities']],
    [
      [
        { name: 'Koi', kind: 'fish' },
        { name: 'Koi', kind: 'crab' },
        { name: 'KOI ', kind: 'fish' },
      ],
      ['entry 3: name: "KOI " is the same fish as "Koi"'],
    ],
    [[{ name: '\u200b', kind: 'fish' }], ['entry 1: name: "\u200b" has no visible characters, or too many']],
    [
      Array.from({ length: 2001 }, (_, index) => ({ name: `fish ${index}`, kind: 'fish' })),
      [expect.stringContaining('2000')],
    ],
    [[{ name: 'Koi', kind: 'fish', rarities: ['Gold'], hint: 'In a lake' }], []],
  ])('has the mistakes %#', (list, mistakes) => {
    expect(speciesMistakes(list)).toEqual(mistakes)
  })
})
