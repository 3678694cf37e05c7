import type { RarityLabel } from '@fish-crab/sdk'
import { timeOfDay } from '../core/time.ts'
import { type Colours, paint, rarityStyle } from '../output/screen.ts'
import { jsonText, printable } from '../output/text.ts'
import type { HeldCatch, ShownCatch } from './recorder.ts'

/** What was caught since `watch` began. */
export interface Totals {
  readonly fish: number
  readonly crabs: number
}

/** Totals with one catch more. */
export function withCatch({ fish, crabs }: Totals, { kind }: Pick<ShownCatch, 'kind'>): Totals {
  return kind === 'fish' ? { fish: fish + 1, crabs } : { fish, crabs: crabs + 1 }
}

/** Totals in words. @example totalsText({ fish: 12, crabs: 1 }) // '12 fish, 1 crab' */
export function totalsText({ fish, crabs }: Totals): string {
  return `${fish} fish, ${crabs} ${crabs === 1 ? 'crab' : 'crabs'}`
}

/** A catch as a line for people, with the totals that it makes. */
export function catchText(one: ShownCatch, totals: Totals, colours: Colours): string {
  const { rarity: label = '' } = one
  const style = rarityStyle(label as RarityLabel)
  const rarity = style === undefined ? label : paint(style, label, colours)
  const details = [
    rarity,
    one.lengthCm === undefined ? '' : `${one.lengthCm} cm`,
    one.firstTime ? 'first of its sort' : '',
    one.byAugment ? 'by augment' : '',
    one.gamemode,
  ]
  return `${timeOfDay(Date.parse(one.caughtAt))}  ${printable(one.name)}  ${details.filter((part) => part !== '').join(', ')}  (${totalsText(totals)})`
}

/** A catch as a line of JSON, with the totals that it makes; one that is held back makes none. */
export function catchJson(one: ShownCatch | HeldCatch, totals: Totals): string {
  return jsonText({ ...one, totals })
}
