import { formatNumber, plural } from '../parts/format.ts'
import { catchesTexts } from './catches.ts'

/** The texts of the page that compares two players. */
export const compareTexts = {
  title: (one: string, other: string) => `${one} and ${other}`,
  score: (one: number, other: number) => `${one} : ${other}`,
  scoreLabel: 'Score',
  figure: 'Figure',
  figures: { species: 'Species', catches: 'Catches', rarest: 'Rarest', ahead: 'Species ahead' },
  caught: (rarity: string, count: number) => `${rarity} ${catchesTexts.times(count)}`,
  tooMany: 'too many to count',
  none: 'none',
  better: 'better',
  equal: 'equal',
  missing: catchesTexts.notCaught,
  crab: catchesTexts.crab,
  filter: 'Show',
  parts: {
    all: () => catchesTexts.all,
    different: () => 'Different',
    one: (one: string) => `Only ${one}`,
    other: (_: string, other: string) => `Only ${other}`,
    both: () => 'Both',
  },
  more: 'Show more',
  listed: (listed: number, count: number) =>
    `The list has the ${plural(listed, 'rarest species', 'rarest species')} of ${formatNumber(count)}. The score covers all of them.`,
  incomplete: (user: string) =>
    `${user} has too many species to list, so some species that both have are missing here.`,
  nothing: {
    all: 'Neither has caught anything yet.',
    different: 'Both players have the same species in the same rarities.',
    one: (one: string, other: string) => `${other} has every species that ${one} has.`,
    other: (one: string, other: string) => `${one} has every species that ${other} has.`,
    both: 'They have no species in common yet.',
  },
  sameTitle: (user: string) => `${user} is on both sides`,
  same: 'A comparison needs two players. Choose another one:',
  compareWith: 'Compare with',
  compare: 'Compare',
} as const
