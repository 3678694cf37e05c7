import type { ErrorCode } from '../contract/error-codes.ts'
import { FishCrabError, type Issue, type RateLimitState } from './fish-crab-error.ts'

/** The fields of an {@link ApiError}. */
export interface ApiErrorFields {
  /** HTTP status. */
  readonly status: number
  /** The server's `code`, such as `user_not_found`; `unknown` when the response has none. */
  readonly code: ErrorCode | (string & {})
  /** Identifies the request in the server's log. */
  readonly requestId?: string | undefined
  /** Response headers without secrets, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The next step, as a sentence. */
  readonly hint?: string | undefined
  /** The rate-limit window of the client, if it is known. */
  readonly rateLimit?: RateLimitState | undefined
  /** Mistakes in the input that the server reports. */
  readonly details?: readonly Issue[] | undefined
}

/**
 * The server rejected the request or failed to handle it. The message comes from the server, and `code` identifies the
 * problem.
 */
export class ApiError extends FishCrabError implements ApiErrorFields {
  static override get name(): string {
    return 'ApiError'
  }
  /** The server's `code`, such as `user_not_found`; `unknown` when the response has none. */
  declare readonly code: ApiErrorFields['code']
  /** HTTP status. */
  readonly status: number
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined
  /** Response headers without secrets, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** Mistakes in the input that the server reports: at most 20, with at most 500 characters in each text. */
  readonly details: readonly Issue[] | undefined

  constructor(summary: string, { status, requestId, headers, details, ...fields }: ApiErrorFields) {
    super(summary, fields)
    this.status = status
    this.requestId = requestId
    this.headers = headers
    this.details = details
  }
}

/** 400: the request is invalid. See `code` and `details`. */
export class BadRequestError extends ApiError {
  static override get name(): string {
    return 'BadRequestError'
  }
}

/** 401: wrong name or password, or an expired session. */
export class AuthenticationError extends ApiError {
  static override get name(): string {
    return 'AuthenticationError'
  }
}

/** 403: the credentials do not permit this operation. */
export class PermissionDeniedError extends ApiError {
  static override get name(): string {
    return 'PermissionDeniedError'
  }
}

/** 404: the user, record or path does not exist. */
export class NotFoundError extends ApiError {
  static override get name(): string {
    return 'NotFoundError'
  }
}

/** 409: the resource already exists, or the change would break a rule. */
export class ConflictError extends ApiError {
  static override get name(): string {
    return 'ConflictError'
  }
}

/** 429: too many requests, and waiting would take longer than `maxWaitMs`. Try again at `resetAt`. */
export class RateLimitError extends ApiError {
  static override get name(): string {
    return 'RateLimitError'
  }
  /** When to try again, by this machine's clock. */
  readonly resetAt: Date
  /** Milliseconds from the response until `resetAt`. */
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

/** 5xx: the server failed, even after all retries. */
export class ServerError extends ApiError {
  static override get name(): string {
    return 'ServerError'
  }
}
