import type { RarityLabel } from '@fish-crab/sdk'
import { readPreference, savePreference } from './preferences.ts'

/** A player whose page this device has shown. */
export interface Visit {
  readonly user: string
  /** The rarest label of the player. @default the player has no fish */
  readonly rarest?: RarityLabel | undefined
}

const NAME = 'fish-crab-visits'
const MAX_VISITS = 12

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

/** The players whose pages this device has shown, the latest first. */
export function readVisits(): readonly Visit[] {
  try {
    const visits: unknown = JSON.parse(readPreference(NAME) ?? '[]')
    return Array.isArray(visits) ? visits : []
  } catch {
    return []
  }
}

/** Stores that this device shows the page of a player. */
export function addVisit(visit: Visit): void {
  save([visit, ...readVisits().filter(({ user }) => !isSame(user, visit.user))])
}

/** Removes a player who no longer exists. */
export function forgetVisits(user: string): void {
  save(readVisits().filter((one) => !isSame(one.user, user)))
}

function save(visits: readonly Visit[]): void {
  savePreference(NAME, JSON.stringify(visits.slice(0, MAX_VISITS)))
}
