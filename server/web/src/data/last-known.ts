import { readPreference, savePreference } from './preferences.ts'
import type { PlayerProfile } from './profile.ts'

/** The last profile that this device has loaded. */
export interface LastKnown {
  readonly profile: PlayerProfile
  /** Unix milliseconds. */
  readonly updatedAt: number
}

/**
 * The name of the stored preference. Increment the number when the shape of {@link PlayerProfile} changes: a newer page
 * must not read an older shape.
 */
const NAME = 'fish-crab-last-3'
/** Larger profiles are not stored: browsers store about 5 MB per site, and writing megabytes would block the page. */
const MAX_SPECIES = 3000

/**
 * Reads the last profile that this device has loaded. If `user` is given, the profile must belong to that player, in
 * any letter case.
 */
export function readLastKnown(user?: string): LastKnown | undefined {
  try {
    const known = JSON.parse(readPreference(NAME) ?? 'null') as LastKnown | null
    const isWanted = user === undefined || known?.profile.user.toLowerCase() === user.toLowerCase()
    return known && isWanted ? known : undefined
  } catch {
    return undefined
  }
}

/** Stores a profile on this device and replaces the previous profile. */
export function saveLastKnown(known: LastKnown): void {
  const { gamemodes } = known.profile
  const species = gamemodes.reduce((sum, { fish, crab }) => sum + fish.species.length + crab.species.length, 0)
  if (species <= MAX_SPECIES) savePreference(NAME, JSON.stringify(known))
}

/** Removes the profile of a player who no longer exists. */
export function forgetLastKnown(user: string): void {
  if (readLastKnown(user)) savePreference(NAME, 'null')
}
