import { formatNumber, plural } from '../parts/format.ts'

/** The texts of overlays. */
export const overlayTexts = {
  last: 'Last catches',
  rarest: 'Rarest',
  fish: (count: number) => plural(count, 'fish', 'fish'),
  crabs: (count: number) => plural(count, 'crab'),
  species: (count: number) => plural(count, 'species', 'species'),
  cry: (catchWord: string | null) => (catchWord === null ? 'CATCH!' : `${catchWord} CATCH!`),
  session: 'This session',
  goals: { fish: 'fish', crab: 'crabs', all: 'catches' },
  goal: (count: number, target: number, counted: string) =>
    `${formatNumber(count)} of ${formatNumber(target)} ${counted} today`,
  reached: 'Goal reached!',
  unknown: (name: string) => `No player “${name}”`,
  invalid: (options: readonly string[]) => `Invalid: ${options.join(', ')}`,
} as const
