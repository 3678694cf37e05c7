import { LIMITS } from '../../contract/limits.ts'
import type { Route } from '../../contract/routes.ts'
import { checkOptions, type OptionNames } from '../../errors/check-options.ts'
import type { Issue } from '../../errors/fish-crab-error.ts'
import { CALL_OPTIONS, type CallOptions } from '../core/call-options.ts'
import type { Settings } from '../core/options.ts'
import type { ResponseShape } from '../shapes/shape.ts'
import { type ApiPromise, call, type ResponseMeta } from '../transport/call.ts'
import type { Transport } from '../transport/response.ts'
import { limitIssue, resolveTarget, TARGET, type Target } from './target.ts'

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
}

const SUMMARY_OPTIONS: OptionNames<SummaryOptions> = { ...CALL_OPTIONS, ...TARGET }
const LIST_OPTIONS: OptionNames<ListOptions> = { ...SUMMARY_OPTIONS, detail: true, limit: true, cursor: true }
export const ITERATE_OPTIONS: OptionNames<IterateOptions> = { ...SUMMARY_OPTIONS, detail: true, pageSize: true }

export function listCatches<Collection extends object>(
  { route, transport, settings, shape }: ListContext<Collection>,
  options: ListOptions,
): ApiPromise<Collection & ResponseMeta> {
  const prepare = () => {
    const { detail, limit, cursor } = options
    const issues: Issue[] = []
    const { user: name, gamemode } = resolveTarget(options, settings, issues)
    const isDetail = detail === undefined || detail === 'full'
    return {
      route,
      query: { name, gamemode, detail, limit, cursor },
      issues: [...issues, limitIssue(limit), !isDetail && { path: 'detail', message: "Must be 'full' or left out." }],
    }
  }
  return call(transport, { options, known: LIST_OPTIONS, shape, prepare })
}

export function summarizeCatches<Summary extends object>(
  { route, transport, settings, shape }: ListContext<Summary>,
  options: SummaryOptions,
): ApiPromise<Summary & ResponseMeta> {
  const prepare = () => {
    const issues: Issue[] = []
    const { user: name, gamemode } = resolveTarget(options, settings, issues)
    return { route, query: { name, gamemode, summary: 'species' }, issues }
  }
  return call(transport, { options, known: SUMMARY_OPTIONS, shape, prepare })
}

/** Options of `iterate`. */
export interface IterateOptions extends Omit<ListOptions, 'limit' | 'cursor'> {
  /** Entries per request, 1 to 1000. @default 1000 */
  readonly pageSize?: number | undefined
}

export interface Page {
  readonly nextCursor?: string | undefined
}

/** Reads pages on demand. Entries added meanwhile come last. @param known The names of `options`. */
export async function* iteratePages<Collection extends Page, Entry>(
  list: (options: CallOptions & { readonly limit: number; readonly cursor?: string }) => Promise<Collection>,
  entriesOf: (page: Collection) => readonly Entry[],
  options: CallOptions & { readonly pageSize?: number | undefined },
  known: OptionNames,
): AsyncGenerator<Entry, void, undefined> {
  checkOptions(options, known)
  const { pageSize = LIMITS.pageSize, ...listOptions } = options
  let cursor: string | undefined
  do {
    const page = await list({ ...listOptions, limit: pageSize, ...(cursor !== undefined && { cursor }) })
    yield* entriesOf(page)
    cursor = page.nextCursor
  } while (cursor !== undefined)
}
