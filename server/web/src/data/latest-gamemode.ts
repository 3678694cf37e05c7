import type { Client } from '@fish-crab/sdk'
import type { Gamemode } from '@fish-crab/sdk/constants'
import type { PageGamemodes } from './gamemodes.ts'
import { type LoadedCollection, loadPlayer } from './load-collection.ts'
import { latestCatchOf, latestOf, totalOf } from './summary.ts'

/** The requests that a gamemode costs: one for fish, one for crabs. */
const REQUESTS = 2
/** A client has 25 requests in 300 s. */
const MAX_SEARCHED = 4

/** The gamemode of a player's latest catch, its collection, and the numbers of catches that are known. */
interface LatestGamemode {
  readonly gamemode: Gamemode
  readonly collection: LoadedCollection
  readonly counts: ReadonlyMap<Gamemode, number>
}

/** The gamemodes to search, the usual one first; only the usual one where a service has many. */
export function searchedGamemodes(gamemodes: PageGamemodes, usual: Gamemode = gamemodes[0]): PageGamemodes {
  return gamemodes.length > MAX_SEARCHED ? [usual] : [usual, ...gamemodes.filter((one) => one !== usual)]
}

/** Finds the gamemode of a player's latest catch. Costs two requests for each gamemode, and only two for an unknown player. */
export async function loadLatest(
  client: Client,
  user: string,
  [first, ...others]: PageGamemodes,
  signal: AbortSignal,
): Promise<LatestGamemode> {
  const load = async (gamemode: Gamemode) => {
    return { gamemode, collection: await loadPlayer({ user, gamemode })(client, signal) }
  }
  const usual = await load(first)
  const { remaining = Number.POSITIVE_INFINITY } = usual.collection.rateLimit ?? {}
  // Otherwise, the page would show nothing until the limit resets.
  const affordable = remaining < REQUESTS * others.length ? [] : others
  const loaded = [usual, ...(await Promise.all(affordable.map(load)))]
  signal.throwIfAborted()
  const counts = loaded.map(({ gamemode, collection }) => [gamemode, totalOf(collection)] as const)
  return { ...latestOf(loaded, ({ collection }) => latestCatchOf(collection)), counts: new Map(counts) }
}
