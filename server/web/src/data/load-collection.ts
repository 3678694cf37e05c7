import type { Client, Profile, RateLimitState } from '@fish-crab/sdk'
import type { Gamemode } from '@fish-crab/sdk/constants'
import { type Collection, latestOf, type Summary, summarize } from './summary.ts'

/** Which collection to load. */
export interface CollectionTarget {
  readonly user: string
  readonly gamemode: string
}

/** A collection, and what is left of the rate limit. */
interface LoadedCollection extends Collection {
  readonly rateLimit: RateLimitState | undefined
}

/** Reads a collection. */
export type Load = (client: Client, signal: AbortSignal) => Promise<LoadedCollection>

/** A collection of a player, and the numbers of catches in all gamemodes. */
interface LoadedPlayer extends LoadedCollection {
  readonly gamemode: Gamemode
  readonly counts: ReadonlyMap<Gamemode, number>
}

interface PlayerTarget {
  readonly user: string
  /** @default that of the latest catch */
  readonly gamemode?: Gamemode | undefined
  /** That of a player without catches. */
  readonly usual: Gamemode
}

/** Costs one request. */
export async function loadProfile(
  client: Client,
  { user, gamemode, usual }: PlayerTarget,
  signal: AbortSignal,
): Promise<LoadedPlayer> {
  const profile = await client.profile({ user, species: true, signal })
  // Reading thousands of species and drawing them are tasks of their own, so that neither holds up the page for long.
  await new Promise((resolve) => setTimeout(resolve))
  const shown = gamemode ?? latestGamemode(profile, usual)
  const { fish, crab } = profile.gamemodes.find((one) => one.gamemode === shown) ?? { fish: NONE, crab: NONE }
  const counts = new Map(profile.gamemodes.map((one) => [one.gamemode, one.fish.total + one.crab.total]))
  const { days, rateLimit } = profile
  return { user: profile.user, gamemode: shown, fish: summaryOf(fish), crab: summaryOf(crab), days, counts, rateLimit }
}

/** The fish and crabs of a player in one gamemode. */
export function loadPlayer({ user, gamemode }: CollectionTarget): Load {
  return (client, signal) => loadProfile(client, { user, gamemode, usual: gamemode }, signal)
}

type Figures = Pick<Summary, 'total' | 'unique'> & { readonly species?: Summary['species'] | undefined }

const NONE: Figures = { total: 0, unique: 0 }

function summaryOf({ total, unique, species = [] }: Figures): Summary {
  return { total, unique, species }
}

function latestGamemode({ gamemodes }: Profile, usual: Gamemode): Gamemode {
  const times = gamemodes.flatMap(({ gamemode, fish, crab }) =>
    [fish, crab].map(({ lastCaughtAt }) => ({ gamemode, time: lastCaughtAt })),
  )
  return latestOf([{ gamemode: usual, time: undefined }, ...times], ({ time }) => time).gamemode
}

/** The sample collection of every service. */
export const loadDemo: Load = async (client, signal) => {
  const [fish, crabs] = await Promise.all([client.demo.fish({ signal }), client.demo.crabs({ signal })])
  return { user: fish.user, fish: summarize(fish.fish), crab: summarize(crabs.crab), rateLimit: fish.rateLimit }
}
