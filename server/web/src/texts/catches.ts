import { formatNumber, plural } from '../parts/format.ts'

/** The words for catches, which pages and overlays share. */
export const catchesTexts = {
  kinds: { fish: 'Fish', crab: 'Crabs' },
  crab: 'Crab',
  rarities: 'Rarities',
  gamemode: 'Gamemode',
  all: 'All',
  times: (count: number) => `×${formatNumber(count)}`,
  caught: 'caught',
  notCaught: 'not caught',
  catches: (count: number) => plural(count, 'catch', 'catches'),
  /** The labels of figures. */
  labels: {
    fish: () => 'fish',
    crab: (count: number) => (count === 1 ? 'crab' : 'crabs'),
    species: () => 'species',
    newSpecies: () => 'new species',
    streak: () => 'days in a row',
  },
} as const
