import type { Kind, LeaderboardFigure, Profile, RarityLabel } from '@fish-crab/sdk/contract'

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
  /** The made-up collection, at a time in Unix milliseconds. */
  | { readonly view: 'demo'; readonly now: number }
  | ({ readonly view: 'month' } & Month)
  | ({ readonly view: 'versus' } & Versus)
  /** A comparison of a player with the same player. */
  | { readonly view: 'same'; readonly user: string }
  | ({ readonly view: 'leaderboard' } & Leaderboard)
  /** The page of a leaderboard that is not public. */
  | { readonly view: 'closed' }
  /** The home page, with the first players of the leaderboard if it is public and counted. */
  | { readonly view: 'home'; readonly leaders?: readonly Leader[] }
  /** A page that could not be drawn. */
  | { readonly view: 'problem'; readonly title: string; readonly problem: PageProblem }
  /**
   * A page that does not exist. `names` are the players of the address who do not exist, without names that no player can
   * have.
   */
  | { readonly view: 'missing'; readonly names?: readonly string[] }

/** Why a page could not be drawn. Times are Unix milliseconds. */
export type PageProblem =
  | ({ readonly kind: 'limited' | 'busy' } & Retry)
  | ({ readonly kind: 'failed'; readonly requestId: string } & Retry)

interface Retry {
  /** Unix milliseconds by the clock of the service. */
  readonly retryAt: number
  /** Milliseconds, because the clock of the reader may be wrong. */
  readonly retryAfterMs: number
}

/** Two collections side by side. */
export interface Versus {
  readonly players: readonly [VersusPlayer, VersusPlayer]
  readonly winners: Readonly<Record<VersusFigure, Winner>>
  /** The species that a player has, rarest first. */
  readonly species: readonly VersusSpecies[]
  /** Number of species in each part, of which `species` may hold only the first. */
  readonly counts: Readonly<Record<VersusPart, number>>
}

/** The species that a comparison shows. */
export type VersusPart = 'all' | 'different' | 'one' | 'other' | 'both'

/** The figures of a score. */
export type VersusFigure = 'species' | 'catches' | 'rarest' | 'ahead'

/** The position of the better player. `null`: neither is better. */
export type Winner = 0 | 1 | null

export interface VersusPlayer {
  readonly user: string
  readonly total: number
  /** Number of species. Absent if a collection has too many species to count. */
  readonly unique?: number | undefined
  /** The rarest label, and the number of fish that have it. Absent without fish. */
  readonly rarest?: { readonly rarity: RarityLabel; readonly count: number } | undefined
  /** Number of species in which the player is better. Absent if a collection of either player has too many species. */
  readonly ahead?: number | undefined
}

export interface VersusSpecies {
  readonly kind: Kind
  readonly name: string
  /** The catches of each player. `null`: the player lacks the species. */
  readonly sides: readonly [VersusSide | null, VersusSide | null]
  /** The player with the higher rarity, or else with the higher count. */
  readonly better: Winner
}

export interface VersusSide {
  /** The rarest label in which the player has the species. Absent for crabs. */
  readonly rarity?: RarityLabel | undefined
  readonly count: number
}

/** A leaderboard. */
export interface Board {
  readonly kind: Kind
  readonly by: LeaderboardFigure
  /** @default all gamemodes together */
  readonly gamemode?: string | undefined
  /** `all` or a UTC month, such as `2026-11`. */
  readonly period: string
}

export interface Leaderboard {
  readonly board: Board
  readonly leaders: readonly Leader[]
  /** Number of players on the leaderboard. */
  readonly players: number
  /** The time of the count, in Unix milliseconds. */
  readonly countedAt: number
  /** The current UTC month. */
  readonly thisMonth: string
}

/** A player on a leaderboard. */
export interface Leader {
  readonly name: string
  readonly count: number
  /** The rarest label that the player has ever caught. Absent without fish. */
  readonly rarest?: RarityLabel | undefined
}

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
