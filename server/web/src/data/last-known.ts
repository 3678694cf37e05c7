import type { Cabinet } from './cabinet.ts'
import { readPreference, savePreference } from './preferences.ts'

/** The last cabinet that this device has loaded. */
export interface LastKnown {
  readonly cabinet: Cabinet
  /** Unix milliseconds. */
  readonly updatedAt: number
}

/** The number changes with the form of {@link Cabinet}: a newer page must not read an older form. */
const NAME = 'fish-crab-last-1'
/** Browsers store about 5 MB for a site, and writing megabytes would hold up the page. */
const MAX_SPECIES = 3000

/** The last cabinet that this device has loaded, if it is of the given player. Letter case is ignored. */
export function readLastKnown(user?: string): LastKnown | undefined {
  try {
    const known = JSON.parse(readPreference(NAME) ?? 'null') as LastKnown | null
    const isWanted = user === undefined || known?.cabinet.user.toLowerCase() === user.toLowerCase()
    return known && isWanted ? known : undefined
  } catch {
    return undefined
  }
}

/** Remembers a cabinet on this device and replaces the previous one. */
export function saveLastKnown(known: LastKnown): void {
  const { gamemodes } = known.cabinet
  const species = gamemodes.reduce((sum, { fish, crab }) => sum + fish.species.length + crab.species.length, 0)
  if (species <= MAX_SPECIES) savePreference(NAME, JSON.stringify(known))
}

/** Removes the cabinet of a player who no longer exists. */
export function forgetLastKnown(user: string): void {
  if (readLastKnown(user)) savePreference(NAME, 'null')
}
