import { LIMITS } from '../../contract/limits.ts'
import { checkOptions, type OptionNames } from '../../errors/check-options.ts'

/** Reads pages on demand. Catches that are added meanwhile are yielded last. @param known The names of `options`. */
export async function* iteratePages<Options extends { readonly pageSize?: number | undefined }, Collection, Entry>(
  list: (
    options: Omit<Options, 'pageSize'> & { readonly limit: number; readonly cursor?: string },
  ) => Promise<Collection & { readonly nextCursor?: string | undefined }>,
  entriesOf: (page: Collection) => readonly Entry[],
  options: Options,
  known: OptionNames<NoInfer<Options>>,
): AsyncGenerator<Entry, void, undefined> {
  checkOptions<Options>(options, known)
  const { pageSize = LIMITS.pageSize, ...listOptions } = options
  let cursor: string | undefined
  do {
    const page = await list({ ...listOptions, limit: pageSize, ...(cursor !== undefined && { cursor }) })
    yield* entriesOf(page)
    cursor = page.nextCursor
  } while (cursor !== undefined)
}
