import { LIMITS } from '../../contract/limits.ts'
import type { Route } from '../../contract/route.ts'
import { type Issue, ValidationError } from '../../errors/fish-crab-error.ts'
import type { ApiRequest } from '../api-request.ts'
import { type ApiPromise, call, type ResponseMeta, type ResponseSchema } from '../call.ts'
import type { CallOptions } from '../call-options.ts'
import type { Settings } from '../options.ts'
import { readTarget, type Target } from '../targets.ts'
import type { Transport } from '../transport.ts'

/** What listing may be told. */
export interface ListOptions extends CallOptions, Target {
  /** `'full'` adds `id` (of the record) and `caughtAt` to each entry. */
  readonly detail?: 'full' | undefined
  /** Entries a page, 1 to 1000. @default all entries in one answer */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

/** An entry as `detail: 'full'` lists it: with the id of its record and when it was caught. */
export type Detailed<Entry extends { readonly id?: string | undefined; readonly caughtAt?: string | undefined }> =
  Entry & {
    readonly id: string
    readonly caughtAt: string
  }

/** A call for details. */
export interface Detail {
  readonly detail: 'full'
}

/** What reading the collections of one kind needs. */
export interface ListContext<Collection> {
  readonly route: Route
  readonly transport: Transport
  readonly settings: Settings
  readonly schema: ResponseSchema<Collection>
}

/** Checks the options and reads a collection, or a page of it. */
export function listCatches<Collection extends object>(
  { route, transport, settings, schema }: ListContext<Collection>,
  { user, gamemode, detail, limit, cursor, ...options }: ListOptions,
): ApiPromise<Collection & ResponseMeta> {
  const prepare = (): ApiRequest => {
    const issues: Issue[] = []
    const target = readTarget({ user, gamemode }, settings, issues)
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
  return call(transport, prepare, schema)
}
