import type { Client, RateLimitState } from '@fish-crab/sdk'
import { demoProfile } from './demo.ts'
import { type PlayerProfile, playerProfileOf } from './profile.ts'

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
    const { rateLimit, requestId: _, ...profile } = await client.profile({ user, species: true, signal })
    // Reading thousands of species and drawing them are separate tasks, so that neither blocks the page for long.
    await new Promise((resolve) => setTimeout(resolve))
    return { profile: playerProfileOf(profile), rateLimit }
  }
}

/** Makes up a collection without a request. */
export const loadDemo: Load = async () => ({ profile: demoProfile(Date.now()), rateLimit: undefined })
