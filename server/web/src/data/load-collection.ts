import type { Client, RateLimitState } from '@fish-crab/sdk'
import { type Collection, summarize } from './summary.ts'

/** Which collection to load. */
export interface CollectionTarget {
  readonly user: string
  readonly gamemode: string
}

/** A collection, and what is left of the rate limit. */
export interface LoadedCollection extends Collection {
  readonly rateLimit: RateLimitState | undefined
}

/** Reads a collection. */
export type Load = (client: Client, signal: AbortSignal) => Promise<LoadedCollection>

/** The fish and crabs of a player. Costs two requests, sent at once. */
export function loadPlayer(target: CollectionTarget): Load {
  return async (client, signal) => {
    const options = { ...target, signal }
    const [fish, crab] = await Promise.all([client.fish.summary(options), client.crabs.summary(options)])
    // Reading thousands of species and drawing them are tasks of their own, so that neither holds up the page for long.
    await new Promise((resolve) => setTimeout(resolve))
    return { user: fish.user, fish, crab, rateLimit: least(fish.rateLimit, crab.rateLimit) }
  }
}

/** The sample collection of every service. */
export const loadDemo: Load = async (client, signal) => {
  const [fish, crabs] = await Promise.all([client.demo.fish({ signal }), client.demo.crabs({ signal })])
  return { user: fish.user, fish: summarize(fish.fish), crab: summarize(crabs.crab), rateLimit: fish.rateLimit }
}

function least(one: RateLimitState | undefined, other: RateLimitState | undefined): RateLimitState | undefined {
  return one && other && other.remaining < one.remaining ? other : one
}
