import type { ErrorCode } from '../contract/error-codes.ts'
import { brand, FishCrabError, type Issue, type RateLimitState } from './fish-crab-error.ts'

/** What an error answer of the server said. */
export interface ApiErrorFields {
  /** HTTP status. */
  readonly status: number
  /** The server's `code`, such as `user_not_found`; `unknown` when the answer had none. */
  readonly code: ErrorCode | (string & {})
  readonly requestId?: string | undefined
  /** Headers that hold no secret, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly hint?: string | undefined
  readonly rateLimit?: RateLimitState | undefined
  /** What the server found wrong with the input. */
  readonly details?: readonly Issue[] | undefined
}

/** The server refused the request or failed on it. The message is the server's own; `code` tells the cases apart. */
export class ApiError extends FishCrabError implements ApiErrorFields {
  static {
    brand(ApiError, 'ApiError')
  }
  declare readonly code: ApiErrorFields['code']
  /** HTTP status. */
  readonly status: number
  /** Names the request in the server's log. */
  readonly requestId: string | undefined
  /** Headers that hold no secret, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** What the server found wrong with the input. */
  readonly details: readonly Issue[] | undefined

  constructor(summary: string, { status, requestId, headers, details, ...fields }: ApiErrorFields) {
    super(summary, fields)
    this.status = status
    this.requestId = requestId
    this.headers = headers
    this.details = details
  }
}

/** 400: the request is wrong. See `code` and `details`. */
export class BadRequestError extends ApiError {
  static {
    brand(BadRequestError, 'BadRequestError')
  }
}

/** 401: wrong name or password, or a session that is over. */
export class AuthenticationError extends ApiError {
  static {
    brand(AuthenticationError, 'AuthenticationError')
  }
}

/** 403: these credentials do not allow that. */
export class PermissionDeniedError extends ApiError {
  static {
    brand(PermissionDeniedError, 'PermissionDeniedError')
  }
}

/** 404: no such user, record or address. */
export class NotFoundError extends ApiError {
  static {
    brand(NotFoundError, 'NotFoundError')
  }
}

/** 409: it exists already, or the change would break a rule. */
export class ConflictError extends ApiError {
  static {
    brand(ConflictError, 'ConflictError')
  }
}

/** 429: too many requests, and the wait would be longer than `maxWaitMs` allows. Try again at `resetAt`. */
export class RateLimitError extends ApiError {
  static {
    brand(RateLimitError, 'RateLimitError')
  }
  /** When to try again, by this machine's clock. */
  readonly resetAt: Date
  /** Milliseconds from the answer until then. */
  readonly retryAfterMs: number

  constructor(
    summary: string,
    fields: ApiErrorFields,
    wait: { readonly resetAt: Date; readonly retryAfterMs: number },
  ) {
    super(summary, fields)
    this.resetAt = wait.resetAt
    this.retryAfterMs = wait.retryAfterMs
  }
}

/** 5xx: the server failed, also when tried again. */
export class ServerError extends ApiError {
  static {
    brand(ServerError, 'ServerError')
  }
}
