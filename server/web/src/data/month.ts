import type { Profile, RarityLabel } from '@fish-crab/sdk'
import type { Kind } from './summary.ts'

/** The catches of a player in one UTC month. */
export interface Month {
  readonly user: string
  /** @example '2026-11' */
  readonly month: string
  /** The nearest months with catches. */
  readonly earlier?: string | undefined
  readonly later?: string | undefined
  /** Absent if a collection has too many days to count. */
  readonly figures?: MonthFigures | undefined
}

export interface MonthFigures {
  readonly total: number
  readonly fish: number
  readonly crabs: number
  /** The fish of each rarity. */
  readonly byRarity: Profile['byRarity']
  /** The number of catches on each day of the month. */
  readonly days: readonly number[]
  /** Number of days with catches. */
  readonly activeDays: number
  readonly bestDay?: Profile['bestDay']
  /** Number of days in the longest streak within the month. */
  readonly streak: number
  /** The rarest fish. The tallies do not always contain its name. */
  readonly best?: { readonly rarity: RarityLabel; readonly name?: string | undefined } | undefined
  /** The species whose first catch of all is in the month. Absent if a collection has too many species to count. */
  readonly fresh?: { readonly count: number; readonly rarest: readonly FreshSpecies[] } | undefined
}

export interface FreshSpecies {
  readonly kind: Kind
  readonly name: string
  /** The rarest first catch in the month. Absent for crabs. */
  readonly rarity?: RarityLabel | undefined
}
