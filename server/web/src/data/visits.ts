import type { RarityLabel } from '@fish-crab/sdk'
import { readPreference, savePreference } from './preferences.ts'

/** A player whose page this device has shown. */
export interface Visit {
  readonly user: string
  /** The rarest label of the player. @default the player has no fish */
  readonly rarest?: RarityLabel | undefined
  /** Number of times that the page was opened. */
  readonly count: number
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
export function addVisit({ user, rarest }: Omit<Visit, 'count'>): void {
  const visits = readVisits()
  const count = 1 + (visits.find((one) => isSame(one.user, user))?.count ?? 0)
  save([{ user, rarest, count }, ...visits.filter((one) => !isSame(one.user, user))])
}

/** Removes a player who no longer exists. */
export function forgetVisits(user: string): void {
  save(readVisits().filter((one) => !isSame(one.user, user)))
}

function save(visits: readonly Visit[]): void {
  savePreference(NAME, JSON.stringify(visits.slice(0, MAX_VISITS)))
}

/** The player of this device: the one whose page it has shown most often. */
export function ownName(): string | undefined {
  return [...readVisits()].sort((one, other) => other.count - one.count)[0]?.user
}
