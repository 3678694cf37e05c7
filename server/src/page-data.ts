import type { Kind, Profile, PublicLeaderboard, RarityLabel } from '@fish-crab/sdk/contract'

/** The data from which a page is drawn: what the API sends to the same client. */
export type PageData =
  | {
      readonly view: 'player'
      readonly profile: Profile
      /** Whether the profile lacks most of its species, because there are too many of them. */
      readonly isPartial: boolean
      /** The last month, if the page links to it. */
      readonly recentMonth?: string | undefined
    }
  | ({ readonly view: 'month' } & Month)
  | { readonly view: 'versus'; readonly profiles: readonly [Profile, Profile] }
  | { readonly view: 'leaderboard'; readonly kind: Kind; readonly leaders: readonly Leader[] }

/** A player on a leaderboard. */
export type Leader = PublicLeaderboard['leaderboard'][number]

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
