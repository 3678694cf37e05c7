import type { CatchToAdd } from '../store.ts'

/** The catches to add, by their indexes: those without a key, and the first of each key that is not known yet. */
export function withoutDuplicates(
  catches: readonly CatchToAdd[],
  isKnown: (key: string) => boolean,
): ReadonlyMap<number, CatchToAdd> {
  const seen = new Set<string>()
  const isNew = ({ key }: CatchToAdd) => {
    if (key === undefined) return true
    if (seen.has(key) || isKnown(key)) return false
    seen.add(key)
    return true
  }
  return new Map([...catches.entries()].filter(([, one]) => isNew(one)))
}
