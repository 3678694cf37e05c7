import type { Profile, RarityLabel } from '@fish-crab/sdk/contract'

/** The size of cards in pixels. Link previews show cards of this size without cropping. */
export const CARD_SIZE = { width: 1200, height: 630 } as const

/** The colours of labels on a dark background. */
export const LABEL_COLOURS: Readonly<Record<RarityLabel | 'Crab', string>> = {
  'Unknown/Other': '#a9bbb0',
  Bronze: '#e09a63',
  Silver: '#c7d3dc',
  Gold: '#f9cb4a',
  Diamond: '#62e3ef',
  Platinum: '#bcc0ff',
  Mythical: '#ec94ff',
  Crab: '#ff9d80',
}

export function totalsOf({ gamemodes }: Profile) {
  const sum = (kind: 'fish' | 'crab') => gamemodes.reduce((total, one) => total + one[kind].total, 0)
  return { fish: sum('fish'), crabs: sum('crab') }
}

export function formatNumber(value: number): string {
  return value.toLocaleString('en-US')
}

/** @param many the plural @default the word with an s */
export function counted(count: number, word: string, many = `${word}s`): string {
  return `${formatNumber(count)} ${count === 1 ? word : many}`
}

/** @example '1,204 fish and 37 crabs of 86 species. Rarest: Mythical Leviathan. 12-day streak.' */
export function descriptionOf(profile: Profile): string {
  if (profile.total === 0) return 'No catches yet.'
  const { fish, crabs } = totalsOf(profile)
  const kinds = [
    ...(fish > 0 ? [counted(fish, 'fish', 'fish')] : []),
    ...(crabs > 0 ? [counted(crabs, 'crab')] : []),
  ].join(' and ')
  const [rarest] = profile.rarest
  const label = rarest?.rarity === 'Unknown/Other' ? '' : `${rarest?.rarity} `
  return [
    `${kinds} of ${counted(profile.unique, 'species', 'species')}.`,
    ...(rarest ? [`Rarest: ${label}${withoutDirections(rarest.name)}.`] : []),
    ...(profile.streak.current > 1 ? [`${formatNumber(profile.streak.current)}-day streak.`] : []),
  ].join(' ')
}

/** Removes control characters that would reverse the text after the name (Unicode Standard Annex #9). */
export function withoutDirections(name: string): string {
  return name.replace(/\p{Bidi_Control}/gu, '')
}
