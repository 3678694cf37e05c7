import type { CallOptions } from '../client/core/call-options.ts'
import type { ResponseShape } from '../client/shapes/shape.ts'
import { type ApiPromise, call, type ResponseMeta } from '../client/transport/call.ts'
import { ignoreMissingOnRetry, withoutBody } from '../client/transport/changes.ts'
import type { ApiRequest } from '../client/transport/request.ts'
import type { Transport } from '../client/transport/transport.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import { filledPath } from '../contract/routes.ts'
import { ServerError } from '../errors/api-errors.ts'
import { ConnectionError, InvalidResponseError, TimeoutError } from '../errors/connection-errors.ts'
import type { Issue } from '../errors/fish-crab-error.ts'
import { assertNoIssues } from './checks.ts'

/** `params` are those of the path. */
type AdminRequest = Omit<ApiRequest, 'path'> & { readonly params?: Readonly<Record<string, string>> }

/** Makes a request, unless there are mistakes in its arguments. */
type Send = <Content extends object>(
  shape: ResponseShape<Content>,
  request: AdminRequest,
  issues?: readonly (Issue | undefined | false)[],
) => ApiPromise<Content & ResponseMeta>

export interface AdminContext {
  /** For reads: retried. */
  readonly read: Send
  /** For deletions: retried; succeeds when a retry finds nothing left. */
  readonly remove: Send
  /** For changes that may be repeated: retried. */
  readonly change: Send
  /** For writes that must not happen twice: sent once. */
  withoutRetries(uncertainty: Uncertainty): Send
}

export function createAdminContext(transport: Transport, authorize: (transport: Transport) => Transport): AdminContext {
  const send = (by: Transport): Send => {
    const authorized = authorize(by)
    return (shape, { params, ...request }, issues = []) =>
      call(
        authorized,
        () => {
          assertNoIssues(...issues)
          return { ...request, path: filledPath(request.route.path, params) }
        },
        shape,
      )
  }
  return {
    read: send(transport),
    remove: send(ignoreMissingOnRetry(transport)),
    change: send(withoutBody(transport)),
    withoutRetries: (uncertainty) => send(withoutRetries(transport, uncertainty)),
  }
}

/** Options of calls that are never retried. */
export type NonRetriedOptions = Omit<CallOptions, 'maxRetries'>

/** Options of lists. */
export interface AdminListOptions extends CallOptions {
  /** Entries per page, 1 to 1000. @default 100 */
  readonly limit?: number | undefined
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
}

/** Options of `iterate`. */
export interface AdminIterateOptions extends CallOptions {
  /** Entries per request, 1 to 1000. @default 1000 */
  readonly pageSize?: number | undefined
}

interface UserSearch {
  /** Part of a name, in any letter case; up to 32 characters. @default all users */
  readonly search?: string | undefined
}

/** Options of `users.list`. */
export interface ListUsersOptions extends AdminListOptions, UserSearch {}

/** Options of `users.iterate`. */
export interface IterateUsersOptions extends AdminIterateOptions, UserSearch {}

interface Uncertainty {
  /** What may have happened, to follow "It is unknown whether". */
  readonly whether: string
  /** What to check or do, a sentence. */
  readonly hint: string
}

// The connection was never made, so nothing was sent.
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']
// The server stored nothing. After `storage_error` it may have.
const NOTHING_STORED: readonly string[] = ['unavailable'] satisfies ErrorCode[]

/**
 * A transport for writes that must not happen twice. A lost response or a 5xx ends the call, and its error says what is
 * unknown. Rejections by the rate limit are retried: the write did not happen.
 */
function withoutRetries(transport: Transport, uncertainty: Uncertainty): Transport {
  return (request) =>
    transport({ ...request, options: { ...request.options, maxRetries: 0 } }).catch((error: unknown) => {
      throw withUncertainty(error, uncertainty)
    })
}

function withUncertainty(error: unknown, { whether, hint }: Uncertainty): unknown {
  if (error instanceof ConnectionError) {
    const { summary, systemCode, proxy, rateLimit, cause } = error
    if (proxy !== undefined || NEVER_SENT.includes(systemCode ?? '')) return error
    const Type = error instanceof TimeoutError ? TimeoutError : ConnectionError
    return new Type(`${summary} It is unknown whether ${whether}.`, { hint, systemCode, rateLimit, cause })
  }
  if (error instanceof InvalidResponseError) {
    return new InvalidResponseError(`${error.summary} It is unknown whether ${whether}.`, { ...error, hint })
  }
  if (error instanceof ServerError && !NOTHING_STORED.includes(error.code)) {
    return new ServerError(`${error.summary} It is unknown whether ${whether}.`, { ...error, hint })
  }
  return error
}
