import { LIMITS } from '../../contract/limits.ts'
import type { Route } from '../../contract/routes.ts'
import { type Issue, ValidationError } from '../../errors/fish-crab-error.ts'
import { assertCallOptions, type CallOptions } from '../core/call-options.ts'
import type { Settings } from '../core/options.ts'
import type { ResponseShape } from '../shapes/shape.ts'
import { type ApiPromise, call, type ResponseMeta } from '../transport/call.ts'
import type { ApiRequest } from '../transport/request.ts'
import type { Transport } from '../transport/transport.ts'
import { resolveTarget, type Target } from './catch-input.ts'

/** Options of `list`. */
export interface ListOptions extends CallOptions, Target {
  /** `'full'` adds the `id` of the record and `caughtAt` to each entry. */
  readonly detail?: 'full' | undefined
  /** Entries per page, 1 to 1000. @default all entries in one response */
  readonly limit?: number | undefined
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
}

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
}

export function listCatches<Collection extends object>(
  { route, transport, settings, shape }: ListContext<Collection>,
  options: ListOptions,
): ApiPromise<Collection & ResponseMeta> {
  const prepare = (): ApiRequest => {
    assertCallOptions(options)
    const { detail, limit, cursor } = options
    const issues: Issue[] = []
    const target = resolveTarget(options, settings, issues)
    if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= LIMITS.pageSize)) {
      issues.push({ path: 'limit', message: `Must be a whole number from 1 to ${LIMITS.pageSize}.` })
    }
    if (detail !== undefined && detail !== 'full') {
      issues.push({ path: 'detail', message: "Must be 'full' or left out." })
    }
    if (issues.length > 0) throw new ValidationError(issues)
    const query = { name: target.user, gamemode: target.gamemode, detail, limit: limit?.toString(), cursor }
    return { route, query, options }
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
