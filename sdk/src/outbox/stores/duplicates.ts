import type { Addition } from '../store.ts'

/** The catches that are to be taken: those without a key, and the first of each key that is not known yet. */
export function withoutDuplicates(catches: readonly Addition[], isKnown: (key: string) => boolean): Addition[] {
  const seen = new Set<string>()
  return catches.filter(({ key }) => {
    if (key === undefined) return true
    if (seen.has(key) || isKnown(key)) return false
    seen.add(key)
    return true
  })
}
