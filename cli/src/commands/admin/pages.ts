/** Reads up to `limit` entries (default: all), and stops before the first entry that `isWanted` rejects. */
export async function takeFirst<Entry>(
  all: AsyncIterable<Entry>,
  limit = Number.POSITIVE_INFINITY,
  isWanted: (entry: Entry) => boolean = () => true,
) {
  const entries: Entry[] = []
  for await (const entry of all) {
    if (!isWanted(entry)) break
    if (entries.length === limit) return { entries, more: true }
    entries.push(entry)
  }
  return { entries, more: false }
}

/** Page size for {@link takeFirst} that needs few requests and reads few entries beyond the limit. */
export function pageSizeFor(limit: number | undefined, largest: number): number {
  // One additional entry shows whether more entries exist.
  return Math.min(largest, (limit ?? largest) + 1)
}
