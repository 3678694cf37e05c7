import type { RateLimitState } from './rate-limit.ts'

/** One thing that is wrong, and where: `fish.0.rarity`, `gamemode`, … */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** What an error answer of the server said. */
export interface ApiErrorFields {
  /** HTTP status. */
  readonly status: number
  /** The server's `code`, such as `user_not_found`; `unknown` when the answer had none. */
  readonly code: string
  readonly requestId?: string | undefined
  /** Headers that hold no secret, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly rateLimit?: RateLimitState | undefined
  /** What the server found wrong with the input. */
  readonly details?: readonly Issue[] | undefined
}

/** Brands live on prototypes, so that a guard knows the errors of another copy of this package, subclasses included. */
function brand(type: { prototype: object }, name: string): void {
  Object.defineProperty(type.prototype, 'name', { value: name, configurable: true, writable: true })
  Object.defineProperty(type.prototype, Symbol.for(`@fish-crab/sdk/${name}`), { value: true })
}

/** Every error this package throws on purpose, `FernetError` apart. Its message says what to do. */
export class FishCrabError extends Error {
  static {
    brand(FishCrabError, 'FishCrabError')
  }

  /** What `JSON.stringify` shows. The cause is left out: it comes from elsewhere and may hold anything. */
  toJSON(): Record<string, unknown> {
    const { cause: _, ...fields } = { ...this } as Record<string, unknown>
    return { ...fields, name: this.name, message: this.message }
  }
}

/** Options or arguments are wrong; nothing was sent. `issues` names each mistake. */
export class ValidationError extends FishCrabError {
  static {
    brand(ValidationError, 'ValidationError')
  }
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[]) {
    super(issues.map(({ path, message }) => `${path}: ${message}`).join(' '))
    this.issues = issues
  }
}

/** The server did not answer: it cannot be reached, or the connection broke. A write may have been stored all the same. */
export class ConnectionError extends FishCrabError {
  static {
    brand(ConnectionError, 'ConnectionError')
  }
}

/** No whole answer came within `timeoutMs`. A write may have been stored all the same. */
export class TimeoutError extends ConnectionError {
  static {
    brand(TimeoutError, 'TimeoutError')
  }
}

/** What answered is not this service: no JSON, JSON of another shape, a redirect, or far too much. Check `baseUrl`. */
export class InvalidResponseError extends FishCrabError {
  static {
    brand(InvalidResponseError, 'InvalidResponseError')
  }
  readonly status: number
  readonly requestId: string | undefined
  readonly issues: readonly Issue[]

  constructor(message: string, status: number, requestId?: string, issues: readonly Issue[] = []) {
    super(message)
    this.status = status
    this.requestId = requestId
    this.issues = issues
  }
}

/** The server refused the request or failed on it. The message is the server's own; `code` tells the cases apart. */
export class ApiError extends FishCrabError implements ApiErrorFields {
  static {
    brand(ApiError, 'ApiError')
  }
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly rateLimit: RateLimitState | undefined
  readonly details: readonly Issue[] | undefined

  constructor(message: string, fields: ApiErrorFields) {
    super(message)
    this.status = fields.status
    this.code = fields.code
    this.requestId = fields.requestId
    this.headers = fields.headers
    this.rateLimit = fields.rateLimit
    this.details = fields.details
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
    message: string,
    fields: ApiErrorFields,
    wait: { readonly resetAt: Date; readonly retryAfterMs: number },
  ) {
    super(message, fields)
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
