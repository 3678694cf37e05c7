import type { Collection, Fresh } from '../data/profile.ts'
import { entryKey } from '../data/species-list.ts'
import { type Kind, rankOf } from '../data/summary.ts'

/** The catches since the overlay was opened. */
export interface Session {
  readonly fish: number
  readonly crab: number
  /** Keys of the species that are new in the collection. */
  readonly newSpecies: ReadonlySet<string>
  /** The latest catch of the highest rarity. */
  readonly rarest: Fresh | undefined
}

export const NEW_SESSION: Session = { fish: 0, crab: 0, newSpecies: new Set(), rarest: undefined }

/**
 * Returns the session with new catches added.
 * @param before the collection without the new catches
 */
export function withCaught(session: Session, before: Collection, fresh: readonly Fresh[]): Session {
  if (fresh.length === 0) return session
  const known = new Set(before.fish.species.map(({ name }) => entryKey('fish', name)))
  for (const { name } of before.crab.species) known.add(entryKey('crab', name))
  const keys = fresh.map(({ kind, name }) => entryKey(kind, name))
  const of = (wanted: Kind) => fresh.reduce((sum, { kind, added }) => sum + (kind === wanted ? added : 0), 0)
  return {
    fish: session.fish + of('fish'),
    crab: session.crab + of('crab'),
    newSpecies: new Set([...session.newSpecies, ...keys.filter((key) => !known.has(key))]),
    rarest: fresh.reduce(
      (best, one) => (rankOf(one) >= Math.max(0, best ? rankOf(best) : 0) ? one : best),
      session.rarest,
    ),
  }
}
