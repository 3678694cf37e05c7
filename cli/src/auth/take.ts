/** The first entries of many, and whether there were more. */
export interface Taken<Entry> {
  readonly entries: readonly Entry[]
  readonly more: boolean
}

/** Reads as many as are wanted, all unless told how many, and stops before the first that `isWanted` refuses. */
export async function take<Entry>(
  all: AsyncIterable<Entry>,
  limit = Number.POSITIVE_INFINITY,
  isWanted: (entry: Entry) => boolean = () => true,
): Promise<Taken<Entry>> {
  const entries: Entry[] = []
  for await (const entry of all) {
    if (!isWanted(entry)) break
    if (entries.length === limit) return { entries, more: true }
    entries.push(entry)
  }
  return { entries, more: false }
}

/** How many to ask for at once, so that {@link take} needs few requests and reads little in vain. */
export function pageSizeFor(limit: number | undefined, largest: number): number {
  // One more shows whether there are more.
  return Math.min(largest, (limit ?? largest) + 1)
}
