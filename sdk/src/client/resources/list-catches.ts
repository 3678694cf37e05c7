import { LIMITS } from '../../contract/limits.ts'
import type { Route } from '../../contract/routes.ts'
import { type Issue, throwIssues } from '../../errors/fish-crab-error.ts'
import { assertCallOptions, type CallOptions } from '../core/call-options.ts'
import type { Settings } from '../core/options.ts'
import type { ResponseShape } from '../shapes/shape.ts'
import { type ApiPromise, call, type ResponseMeta } from '../transport/call.ts'
import type { ApiRequest } from '../transport/request.ts'
import type { Transport } from '../transport/transport.ts'
import { checkLimit, resolveTarget, type Target } from './catch-input.ts'

/** Options of `list`. */
export interface ListOptions extends CallOptions, Target {
  /** `'full'` adds the `id` of the record and `caughtAt` to each entry. */
  readonly detail?: 'full' | undefined
  /** Entries per page, 1 to 1000. @default all entries in one response */
  readonly limit?: number | undefined
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
}

/** Options of `summary`. */
export interface SummaryOptions extends CallOptions, Target {}

/** An entry with `detail: 'full'`: with the id of its record and the time of the catch. */
export type DetailedEntry<Entry extends { readonly id?: string | undefined; readonly caughtAt?: string | undefined }> =
  Entry & {
    readonly id: string
    readonly caughtAt: string
  }

/** Requests `detail: 'full'`. */
export interface DetailOption {
  readonly detail: 'full'
}

interface ListContext<Collection> {
  readonly route: Route
  readonly transport: Transport
  readonly settings: Settings
  readonly shape: ResponseShape<Collection>
  /** Requests a summary instead of the catches. */
  readonly summary?: 'species'
}

export function listCatches<Collection extends object>(
  { route, transport, settings, shape, summary }: ListContext<Collection>,
  options: ListOptions,
): ApiPromise<Collection & ResponseMeta> {
  const prepare = (): ApiRequest => {
    assertCallOptions(options)
    const { detail, limit, cursor } = options
    const issues: Issue[] = []
    const { user: name, gamemode } = resolveTarget(options, settings, issues)
    checkLimit(limit, LIMITS.pageSize, issues)
    if (detail !== undefined && detail !== 'full') {
      issues.push({ path: 'detail', message: "Must be 'full' or left out." })
    }
    throwIssues(issues)
    return { route, query: { name, gamemode, detail, limit, cursor, summary }, options }
  }
  return call(transport, prepare, shape)
}

/** Options of `iterate`. */
export interface IterateOptions extends Omit<ListOptions, 'limit' | 'cursor'> {
  /** Entries per request, 1 to 1000. @default 1000 */
  readonly pageSize?: number | undefined
}

export interface Page {
  readonly nextCursor?: string | undefined
}

/** Reads pages on demand. Entries added meanwhile come last. */
export async function* iteratePages<Collection extends Page, Entry>(
  list: (options: ListOptions) => Promise<Collection>,
  entriesOf: (page: Collection) => readonly Entry[],
  options: IterateOptions,
): AsyncGenerator<Entry, void, undefined> {
  assertCallOptions(options)
  const { pageSize = LIMITS.pageSize, ...listOptions } = options
  let cursor: string | undefined
  do {
    const page = await list({ ...listOptions, limit: pageSize, cursor })
    yield* entriesOf(page)
    cursor = page.nextCursor
  } while (cursor !== undefined)
}
