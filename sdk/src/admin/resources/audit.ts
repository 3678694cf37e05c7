import { type ApiPromise, call, type ResponseMeta } from '../../client/call.ts'
import { iteratePages } from '../../client/resources/iterate-catches.ts'
import { ADMIN_ROUTES } from '../../contract/admin-routes.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { AuditEntry, AuditPage } from '../../contract/schemas/admin.ts'
import { cursorIssue, limitIssue, requireNone } from '../checks.ts'
import { auditPageShape } from '../shapes.generated.ts'
import type { AdminContext } from './admin-context.ts'
import type { PageOptions, PagesOptions } from './options.ts'

/** Who did what, when, from where: logins, readings of keys, changes. */
export interface AuditResource {
  /**
   * One page of the audit log, newest first.
   *
   * @throws ValidationError, ApiError, ConnectionError.
   * @example
   * const { entries, nextCursor } = await admin.audit.list({ limit: 20 })
   */
  list(options?: PageOptions): ApiPromise<AuditPage & ResponseMeta>
  /**
   * The audit log line by line, newest first, read page by page as the loop goes on.
   *
   * @throws As `list`, when the page is read.
   * @example
   * for await (const { at, actor, action } of admin.audit.iterate()) console.log(at, actor, action)
   */
  iterate(options?: PagesOptions): AsyncGenerator<AuditEntry, void, undefined>
}

/** `admin.audit`. */
export function createAudit({ read }: AdminContext): AuditResource {
  const list: AuditResource['list'] = ({ limit, cursor, ...options } = {}) =>
    call(
      read,
      () => {
        requireNone(limitIssue(limit), cursorIssue(cursor))
        return { route: ADMIN_ROUTES.audit, query: { limit: limit?.toString(), cursor }, options }
      },
      auditPageShape,
    )
  return {
    list,
    iterate: ({ pageSize, ...options } = {}) =>
      iteratePages(
        ({ limit, cursor }) => list({ ...options, limit, cursor }),
        ({ entries }) => entries,
        LIMITS.pageSize,
        { pageSize },
      ),
  }
}
