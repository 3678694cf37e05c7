import { CALL_OPTIONS, type CallOptions } from '../client/core/options.ts'
import type { ResponseShape } from '../client/shapes/shape.ts'
import type { ApiPromise, PreparedRequest, ResponseMeta } from '../client/transport/call.ts'
import type { ApiRequest } from '../client/transport/request.ts'
import type { Transport } from '../client/transport/response.ts'
import { ServerError } from '../errors/api-errors.ts'
import type { OptionNames } from '../errors/check-options.ts'
import { ConnectionError, InvalidResponseError, TimeoutError } from '../errors/connection-errors.ts'
import { FishCrabError } from '../errors/fish-crab-error.ts'

interface AdminRequest extends PreparedRequest {
  /** Set for a write that must not happen twice: the write is sent once, and errors describe the uncertainty. */
  readonly ifUnknown?: Uncertainty
}

/** Checks the arguments of a call and sends its request with the session token. */
export type Send = <Content extends object, Options extends CallOptions>(
  shape: ResponseShape<Content>,
  options: Options,
  known: OptionNames<NoInfer<Options>>,
  prepare: () => AdminRequest,
) => ApiPromise<Content & ResponseMeta>

/** Sends a request. A write that must not happen twice is retried only after a rejection by the rate limit. */
export function sendOnceIfUncertain(transport: Transport): Transport {
  return ({ ifUnknown, ...request }: ApiRequest & Pick<AdminRequest, 'ifUnknown'>) =>
    ifUnknown === undefined
      ? transport(request)
      : transport({ ...request, options: { ...request.options, maxRetries: 0 } }).catch((error: unknown) => {
          throw withUncertainty(error, ifUnknown)
        })
}

/** Options of lists. */
export interface AdminListOptions extends CallOptions {
  /** Entries per page, 1 to 1000. @default 100 */
  readonly limit?: number | undefined
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
}

export const LIST_OPTIONS: OptionNames<AdminListOptions> = { ...CALL_OPTIONS, limit: 1, cursor: 1 }

/** Options of `iterate`. */
export interface AdminIterateOptions extends CallOptions {
  /** Entries per request, 1 to 1000. @default 1000 */
  readonly pageSize?: number | undefined
}

export const ITERATE_OPTIONS: OptionNames<AdminIterateOptions> = { ...CALL_OPTIONS, pageSize: 1 }

interface UserSearch {
  /** Part of a name, in any letter case; up to 32 characters. @default all users */
  readonly search?: string | undefined
}

/** Options of `users.list`. */
export interface ListUsersOptions extends AdminListOptions, UserSearch {
  /** Adds the number of catches and the latest catch to each user. A page then has at most 50 users. @default false */
  readonly totals?: boolean | undefined
}

/** Options of `users.iterate`. */
export interface IterateUsersOptions extends AdminIterateOptions, UserSearch {}

interface Uncertainty {
  /** The possible effect of the request: a clause that follows "It is unknown whether". */
  readonly effect: string
  /** The next step for the user, as a sentence. */
  readonly hint: string
}

function withUncertainty(error: unknown, { effect, hint }: Uncertainty): unknown {
  if (!(error instanceof FishCrabError && error.mayHaveChanged)) return error
  const summary = `${error.summary} It is unknown whether ${effect}.`
  if (error instanceof ConnectionError) {
    const Type = error instanceof TimeoutError ? TimeoutError : ConnectionError
    return new Type(summary, { ...error, cause: error.cause, hint })
  }
  if (error instanceof InvalidResponseError) return new InvalidResponseError(summary, { ...error, hint })
  if (error instanceof ServerError) return new ServerError(summary, { ...error, hint })
  return error
}
