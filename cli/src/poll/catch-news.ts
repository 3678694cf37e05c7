import { type CatchList, type CatchListWish, catchList, type FoundCatches } from '../catches/catch-list.ts'
import type { CatchQuery } from '../catches/catch-query.ts'

/** Tells of each look what is new since the one before. */
export type CatchNews = (found: FoundCatches, wish: CatchListWish) => CatchList

/**
 * Finds out what is new by the records of catches, however many are removed meanwhile. At the first look nothing is, but
 * what was caught since the moment that `--since` names. Counts are new where they are others than before.
 */
export function createCatchNews(): CatchNews {
  let known: ReadonlySet<string | undefined> | undefined
  let counts: ReadonlyMap<string, number> = new Map()
  return (found, wish) => {
    // How many there are at most goes for all that is told, not for each look.
    const all: CatchListWish = { ...wish, query: without('limit', wish.query) }
    if (wish.chart) {
      const list = catchList(found, all)
      if (!list.counted) return list
      const rows = list.output.rows.filter(({ label, count }) => count !== (counts.get(label) ?? 0))
      counts = new Map(list.output.rows.map(({ label, count }) => [label, count]))
      return { ...list, output: { ...list.output, rows } }
    }
    const before = known
    known = new Set(found.catches.map(({ id }) => id))
    if (!before && wish.query.since === undefined) return catchList({ ...found, catches: [] }, all)
    // Whatever is new was caught since: some clock may be wrong.
    const query = before ? without('since', all.query) : all.query
    const catches = before ? found.catches.filter(({ id }) => !before.has(id)) : found.catches
    return catchList({ ...found, catches }, { ...all, query })
  }
}

function without(name: keyof CatchQuery, query: CatchQuery): CatchQuery {
  return { ...query, [name]: undefined }
}
