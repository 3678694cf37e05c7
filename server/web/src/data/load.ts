import type { Client, RateLimitState } from '@fish-crab/sdk'
import { demoProfile } from './demo.ts'
import type { PlayerProfile } from './profile.ts'
import type { Summary } from './summary.ts'

/** A profile, and the state of the rate limit. */
export interface Loaded {
  readonly profile: PlayerProfile
  readonly rateLimit: RateLimitState | undefined
}

/** Reads a profile. */
export type Load = (client: Client, signal: AbortSignal) => Promise<Loaded>

/** Reads the profile of a player with one request. */
export function loadPlayer(user: string): Load {
  return async (client, signal) => {
    const {
      rateLimit,
      requestId: _,
      latest: __,
      gamemodes,
      ...profile
    } = await client.profile({ user, species: true, signal })
    // Reading thousands of species and drawing them are separate tasks, so that neither blocks the page for long.
    await new Promise((resolve) => setTimeout(resolve))
    const collections = gamemodes.map(({ gamemode, fish, crab }) => {
      return { gamemode, fish: summaryOf(fish), crab: summaryOf(crab) }
    })
    return { profile: { ...profile, gamemodes: collections }, rateLimit }
  }
}

interface ListedSummary extends Pick<Summary, 'total'> {
  readonly unique?: number | undefined
  readonly species?: Summary['species'] | undefined
}

function summaryOf({ total, unique, species = [] }: ListedSummary): Summary {
  return { total, unique, species }
}

/** Makes up a collection without a request. */
export const loadDemo: Load = async () => ({ profile: demoProfile(Date.now()), rateLimit: undefined })
