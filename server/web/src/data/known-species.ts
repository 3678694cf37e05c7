import type { Client } from '@fish-crab/sdk'
import { foldSpeciesName, type Gamemode } from '@fish-crab/sdk/constants'
import { readPreference, savePreference } from './preferences.ts'
import type { SpeciesEntry } from './species-list.ts'
import type { Kind } from './summary.ts'

/** A species that several players have, or that the operator lists. */
export interface KnownSpecies {
  readonly kind: Kind
  readonly name: string
  /** The number of players who have the species. */
  readonly players: number
  /** A hint of the operator. @default none */
  readonly hint?: string | undefined
}

/** The known species, and the number of players with catches. */
export interface KnownList {
  readonly players: number
  /** The species that most players have come first. */
  readonly species: readonly KnownSpecies[]
}

/** A list that this device has loaded. */
interface Stored extends KnownList {
  /** Unix milliseconds. */
  readonly loadedAt: number
}

/** The service counts the species at most this often. */
const MAX_AGE_MS = 10 * 60 * 1000

/** Increment the number when the shape of {@link Stored} changes. */
const nameOf = (gamemode: Gamemode | undefined) => `fish-crab-species-1 ${gamemode ?? ''}`

function readStored(gamemode: Gamemode | undefined): Stored | undefined {
  try {
    return (JSON.parse(readPreference(nameOf(gamemode)) ?? 'null') as Stored | null) ?? undefined
  } catch {
    return undefined
  }
}

/**
 * Loads the known species of a gamemode, or of all gamemodes. This device stores the list, so that several views in ten
 * minutes need one request. If the request fails, the last list is returned.
 */
export async function loadKnownSpecies(
  client: Client,
  {
    gamemode,
    now,
    signal,
  }: { readonly gamemode: Gamemode | undefined; readonly now: number; readonly signal: AbortSignal },
): Promise<KnownList | undefined> {
  const stored = readStored(gamemode)
  if (stored && Math.abs(now - stored.loadedAt) < MAX_AGE_MS) return stored
  try {
    const { players, species } = await client.species({ ...(gamemode && { gamemode }), signal })
    const loaded: Stored = {
      loadedAt: now,
      players,
      species: species.map(({ kind, name, players, hint }) => ({ kind, name, players, hint })),
    }
    savePreference(nameOf(gamemode), JSON.stringify(loaded))
    return loaded
  } catch {
    // The book without its missing species is complete in itself, so the page reports no problem.
    return stored
  }
}

/** Finds known species, in any spelling. */
export interface KnownIndex extends KnownList {
  find(species: Pick<KnownSpecies, 'kind' | 'name'>): KnownSpecies | undefined
}

const keyOf = ({ kind, name }: Pick<KnownSpecies, 'kind' | 'name'>) => `${kind} ${foldSpeciesName(name)}`

/** @returns `undefined` if no species are known */
export function indexOf(list: KnownList | undefined): KnownIndex | undefined {
  if (!list || list.species.length === 0) return undefined
  const byKey = new Map(list.species.map((species) => [keyOf(species), species]))
  return { ...list, find: (species) => byKey.get(keyOf(species)) }
}

/** Returns the known species that a collection lacks. */
export function missingOf(entries: readonly SpeciesEntry[], { species }: KnownList): readonly KnownSpecies[] {
  const caught = new Set(entries.map(keyOf))
  return species.filter((one) => !caught.has(keyOf(one)))
}

/** @example shareOf({ players: 2 }, { players: 480 }) // '0.4%' */
export function shareOf(
  { players }: Pick<KnownSpecies, 'players'>,
  { players: all }: Pick<KnownList, 'players'>,
): string {
  const percent = all === 0 ? 0 : (100 * players) / all
  if (percent > 0 && percent < 0.1) return 'under 0.1%'
  return `${percent < 10 ? Math.round(percent * 10) / 10 : Math.round(percent)}%`
}
