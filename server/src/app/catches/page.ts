import type { Collection, FishStorage, RecordForm } from '../../storage/types.ts'
import type { Position } from './cursor.ts'

/** One page of a collection. `entries` are JSON objects joined by commas. */
export interface Page {
  readonly entries: string
  /** Where the next page begins; absent on the last one. */
  readonly next?: Position
}

/**
 * Reads one page. Whole records are taken as they lie; only those at the page's edges, of which it takes a part, are
 * parsed.
 */
export async function readPage(
  storage: FishStorage,
  collection: Collection,
  form: RecordForm,
  start: Position,
  limit: number,
): Promise<Page> {
  const parts: string[] = []
  let taken = 0
  let skip = start.offset
  for await (const chunk of storage.read(collection, form, {
    from: start.sequence,
    entries: start.offset + limit + 1,
  })) {
    for (const { sequence, count, entries } of chunk) {
      const first = Math.min(sequence === start.sequence ? skip : 0, count)
      skip = 0
      const room = limit - taken
      if (room === 0) return { entries: parts.join(','), next: { sequence, offset: first } }
      const last = Math.min(count, first + room)
      if (last > first) parts.push(slice(entries, count, first, last))
      taken += last - first
      if (last < count) return { entries: parts.join(','), next: { sequence, offset: last } }
    }
  }
  return { entries: parts.join(',') }
}

function slice(entries: string, count: number, first: number, last: number): string {
  if (first === 0 && last === count) return entries
  const parsed = JSON.parse(`[${entries}]`) as unknown[]
  return parsed
    .slice(first, last)
    .map((entry) => JSON.stringify(entry))
    .join(',')
}
