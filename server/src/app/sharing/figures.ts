import type { Profile, RarityLabel } from '@fish-crab/sdk/contract'
import type { Month } from '../../page-data.ts'
import { totalsOf } from '../catches/profile.ts'

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
  const [rarest] = profile.rarest
  const label = rarest?.rarity === 'Unknown/Other' ? '' : `${rarest?.rarity} `
  return [
    `${kindsOf(totalsOf(profile))} of ${counted(profile.unique, 'species', 'species')}.`,
    ...(rarest ? [`Rarest: ${label}${withoutDirections(rarest.name)}.`] : []),
    ...(profile.streak.current > 1 ? [`${formatNumber(profile.streak.current)}-day streak.`] : []),
  ].join(' ')
}

const monthNames = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** @example monthName('2026-11') // 'November 2026' */
export function monthName(month: string): string {
  return monthNames.format(new Date(`${month}-01`))
}

/** @example '412 fish and 9 crabs on 21 days. 12 new species. Best catch: Mythical Koi. 8-day streak.' */
export function monthDescriptionOf({ month, figures }: Month): string {
  if (!figures) return 'This collection has too many days to count its months.'
  if (figures.total === 0) return `No catches in ${monthName(month)}.`
  const { activeDays, best, fresh, streak } = figures
  return [
    `${kindsOf(figures)} on ${counted(activeDays, 'day')}.`,
    ...(fresh && fresh.count > 0 ? [`${formatNumber(fresh.count)} new species.`] : []),
    ...(best ? [`Best catch: ${[best.rarity, ...(best.name ? [withoutDirections(best.name)] : [])].join(' ')}.`] : []),
    ...(streak > 1 ? [`${formatNumber(streak)}-day streak.`] : []),
  ].join(' ')
}

/** @example '1,204 fish and 37 crabs' */
function kindsOf({ fish, crabs }: { readonly fish: number; readonly crabs: number }): string {
  return [...(fish > 0 ? [counted(fish, 'fish', 'fish')] : []), ...(crabs > 0 ? [counted(crabs, 'crab')] : [])].join(
    ' and ',
  )
}

/** Removes control characters that would reverse the text after the name (Unicode Standard Annex #9). */
export function withoutDirections(name: string): string {
  return name.replace(/\p{Bidi_Control}/gu, '')
}
