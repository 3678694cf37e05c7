import type { CallOptions } from '../client/core/call-options.ts'
import type { ResponseSchema } from '../client/shapes/shape.ts'
import type { ApiRequest } from '../client/transport/request.ts'
import type { Transport } from '../client/transport/transport.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import { MEDIA_TYPES } from '../contract/headers.ts'
import { ServerError } from '../errors/api-errors.ts'
import { ConnectionError, InvalidResponseError, TimeoutError } from '../errors/connection-errors.ts'

/** The ways an administrator's requests are sent, each with the session. */
export interface AdminContext {
  /** For reads: tried again as the options say. */
  readonly read: Transport
  /** For deletions: tried again, and done when a further try finds nothing left. */
  readonly remove: Transport
  /** For writes that must not happen twice: sent once. */
  once(doubt: Doubt): Transport
}

/** What a call that is sent once may be told: there are no further tries to count. */
export type OnceOptions = Omit<CallOptions, 'maxRetries'>

/** Which page to read. */
export interface PageOptions extends CallOptions {
  /** Entries a page, 1 to 1000. @default 100 */
  readonly limit?: number | undefined
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
}

/** How to go through all pages. */
export interface PagesOptions extends CallOptions {
  /** Entries per request, 1 to 1000. @default 1000 */
  readonly pageSize?: number | undefined
}

/** Which users to list. */
export interface ListUsersOptions extends PageOptions {
  /** Part of a name, in any letter case; up to 32 characters. @default all users */
  readonly search?: string | undefined
}

/** Which users to go through. */
export interface IterateUsersOptions extends PagesOptions {
  /** Part of a name, in any letter case; up to 32 characters. @default all users */
  readonly search?: string | undefined
}

/** What a lost answer leaves open. */
export interface Doubt {
  /** What may have happened, to follow "Whether". */
  readonly whether: string
  /** What to look at or to do, a sentence. */
  readonly hint: string
}

// The connection was never made, so nothing was sent.
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']
// With this the server says itself that nothing was stored. A storage that failed may have stored what was sent.
const NOTHING_STORED: readonly string[] = ['unavailable'] satisfies ErrorCode[]

/**
 * A transport for writes that must not happen twice: a lost answer or a 5xx ends the call, and its error says what is
 * not known now. Refusals by the rate limit are waited out as ever: what they refuse did not happen.
 */
export function once(transport: Transport, doubt: Doubt): Transport {
  return (request) =>
    transport({ ...request, options: { ...request.options, maxRetries: 0 } }).catch((error: unknown) => {
      throw inDoubt(error, doubt)
    })
}

function inDoubt(error: unknown, { whether, hint }: Doubt): unknown {
  if (error instanceof ConnectionError) {
    const { summary, systemCode, proxy, rateLimit, cause } = error
    if (proxy !== undefined || NEVER_SENT.includes(systemCode ?? '')) return error
    const Type = error instanceof TimeoutError ? TimeoutError : ConnectionError
    return new Type(`${summary} Whether ${whether} is not known.`, { hint, systemCode, rateLimit, cause })
  }
  if (error instanceof InvalidResponseError) {
    return new InvalidResponseError(`${error.summary} Whether ${whether} is not known.`, { ...error, hint })
  }
  if (error instanceof ServerError && !NOTHING_STORED.includes(error.code)) {
    return new ServerError(`${error.summary} Whether ${whether} is not known.`, { ...error, hint })
  }
  return error
}

const GONE: readonly ErrorCode[] = ['user_not_found', 'record_not_found', 'admin_not_found']

/**
 * A transport for deletions. A further try, after one whose answer was lost, may find that the first one did its work:
 * nothing is left to delete, and that is what was asked for.
 */
export function untilGone(transport: Transport): Transport {
  return async (request) => {
    const answer = await transport({ ...request, accepts: (refusal, failures) => failures > 0 && saysGone(refusal) })
    return answer.status === 204 || answer.status === 404 ? { ...answer, text: 'null' } : answer
  }
}

/** The answer to a deletion, which has no content. */
export const NOTHING: ResponseSchema<object> = {
  safeParse: (value) =>
    value === null
      ? { success: true, data: {} }
      : { success: false, error: { issues: [{ path: [], message: 'Must be without content.' }] } },
}

function saysGone({ status, text }: { readonly status: number; readonly text: string }): boolean {
  return status === 404 && GONE.some((code) => text.includes(`"${code}"`))
}

/** The parts of a request that carry a value as JSON. */
export function jsonBody(value: unknown): Pick<ApiRequest, 'headers' | 'body'> {
  return { headers: { 'content-type': MEDIA_TYPES.json }, body: async () => JSON.stringify(value) }
}
