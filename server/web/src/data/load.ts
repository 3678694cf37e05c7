import type { Client, Profile, RateLimitState } from '@fish-crab/sdk'
import type { Cabinet } from './cabinet.ts'
import { demoCabinet } from './demo.ts'
import type { Summary } from './summary.ts'

/** A cabinet, and the state of the rate limit. */
export interface Loaded {
  readonly cabinet: Cabinet
  readonly rateLimit: RateLimitState | undefined
}

/** Reads a cabinet. */
export type Load = (client: Client, signal: AbortSignal) => Promise<Loaded>

/** Reads the cabinet of a player with one request. */
export function loadPlayer(user: string): Load {
  return async (client, signal) => {
    const profile = await client.profile({ user, species: true, signal })
    // Reading thousands of species and drawing them are separate tasks, so that neither blocks the page for long.
    await new Promise((resolve) => setTimeout(resolve))
    return { cabinet: cabinetOf(profile), rateLimit: profile.rateLimit }
  }
}

function cabinetOf({ user, days, streak, gamemodes }: Profile): Cabinet {
  const collections = gamemodes.map(({ gamemode, fish, crab }) => {
    return { gamemode, fish: summaryOf(fish), crab: summaryOf(crab) }
  })
  return { user, days, streak, gamemodes: collections }
}

type ProfileSummary = Profile['gamemodes'][number]['fish' | 'crab']

function summaryOf({ total, unique = 0, species = [], complete, lastCaughtAt }: ProfileSummary): Summary {
  return { total, unique, species, ...(complete === false ? { isPartial: true, lastCaughtAt } : {}) }
}

/** Makes up a collection without a request. */
export const loadDemo: Load = async () => ({ cabinet: demoCabinet(Date.now()), rateLimit: undefined })
