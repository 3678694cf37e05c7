import type { Profile } from '@fish-crab/sdk'
import type { Month } from './month.ts'
import type { Kind } from './summary.ts'

/** The data from which the server has drawn a page, as the API sends it. */
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
export interface Leader {
  readonly name: string
  readonly count: number
}

const ID = 'page-data'

/** Reads the data of the open page. @default none: the browser draws the page */
export function readPageData(): PageData | undefined {
  const text = document.getElementById(ID)?.textContent
  return text ? (JSON.parse(text) as PageData) : undefined
}
