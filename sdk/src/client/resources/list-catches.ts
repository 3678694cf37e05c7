import { LIMITS } from '../../contract/limits.ts'
import type { RouteName } from '../../contract/routes.ts'
import { type Answer, type ResponseSchema, request } from '../answer.ts'
import type { CallOptions } from '../call-options.ts'
import { type Issue, ValidationError } from '../errors.ts'
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

/** Checks the options and reads a collection. */
export async function listCatches<Content>(
  { transport, settings }: { readonly transport: Transport; readonly settings: Settings },
  route: RouteName,
  options: ListOptions,
  loadSchema: () => Promise<ResponseSchema<Content>>,
): Promise<Answer<Content>> {
  const { detail, limit, cursor, signal } = options
  const issues: Issue[] = []
  const { user, gamemode } = readTarget(options, settings, issues)
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= LIMITS.pageSize)) {
    issues.push({ path: 'limit', message: `Must be a whole number from 1 to ${LIMITS.pageSize}.` })
  }
  if (detail !== undefined && detail !== 'full') issues.push({ path: 'detail', message: "Must be 'full' or left out." })
  if (issues.length > 0) throw new ValidationError(issues)

  const query = { name: user, gamemode, detail, limit: limit?.toString(), cursor }
  const { content, info } = await request(transport, { route, query, signal }, loadSchema)
  return { ...content, ...info }
}
