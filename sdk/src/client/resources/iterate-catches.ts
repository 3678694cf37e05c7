import type { ListOptions } from './list-catches.ts'

/** What iterating may be told. */
export interface IterateOptions extends Omit<ListOptions, 'limit' | 'cursor'> {
  /** Entries a request, 1 to 1000. @default 1000 */
  readonly pageSize?: number | undefined
}

interface Page {
  readonly nextCursor?: string | undefined
}

/** Reads a collection page by page, each when it is asked for. What is added meanwhile comes at the end. */
export async function* iteratePages<Collection extends Page, Entry>(
  list: (options: ListOptions) => Promise<Collection>,
  entriesOf: (page: Collection) => readonly Entry[],
  pageSizeDefault: number,
  { pageSize = pageSizeDefault, ...options }: IterateOptions,
): AsyncGenerator<Entry, void, undefined> {
  let cursor: string | undefined
  do {
    const page = await list({ ...options, limit: pageSize, cursor })
    yield* entriesOf(page)
    cursor = page.nextCursor
  } while (cursor !== undefined)
}
