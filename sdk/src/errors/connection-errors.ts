import { FishCrabError, type FishCrabErrorFields, type Issue } from './fish-crab-error.ts'

/** The fields of a {@link ConnectionError}. */
export interface ConnectionErrorFields extends Omit<FishCrabErrorFields, 'code'> {
  /** @default 'connection_error' */
  readonly code?: string | undefined
  /** The error code of the system, such as `ECONNREFUSED`. */
  readonly systemCode?: string | undefined
}

/**
 * No response: the server is unreachable or the connection broke, even after all retries. A write may have been stored;
 * sending the same token again is safe (see `fish.encrypt`). `code` is `connection_error`.
 */
export class ConnectionError extends FishCrabError {
  static override get name(): string {
    return 'ConnectionError'
  }
  /** The error code of the system, such as `ECONNREFUSED`, if there is one. */
  readonly systemCode: string | undefined

  constructor(summary: string, { code = 'connection_error', systemCode, ...fields }: ConnectionErrorFields) {
    super(summary, { ...fields, code })
    this.systemCode = systemCode
  }
}

/**
 * No complete response within `timeoutMs`. A write may have been stored. `code` is `timeout`.
 */
export class TimeoutError extends ConnectionError {
  static override get name(): string {
    return 'TimeoutError'
  }

  constructor(summary: string, fields: Omit<ConnectionErrorFields, 'code'> = {}) {
    super(summary, { ...fields, code: 'timeout' })
  }
}

/** The fields of an {@link InvalidResponseError}. */
interface InvalidResponseFields extends Omit<FishCrabErrorFields, 'code' | 'cause'> {
  /** HTTP status. */
  readonly status: number
  /** Identifies the request in the server's log. */
  readonly requestId?: string | undefined
  /** The differences from the expected shape. @default none */
  readonly issues?: readonly Issue[] | undefined
}

/**
 * The response is not from this service: not JSON, JSON of an unexpected shape, a redirect, or too large. Check
 * `baseUrl`. After a write with status 2xx, the catch may be stored; sending the same token again is safe (see
 * `fish.encrypt`). `code` is `invalid_response`.
 */
export class InvalidResponseError extends FishCrabError {
  static override get name(): string {
    return 'InvalidResponseError'
  }
  /** HTTP status. */
  readonly status: number
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined
  /** The differences from the expected shape; empty if the response is not JSON. */
  readonly issues: readonly Issue[]

  constructor(summary: string, { status, requestId, issues = [], ...fields }: InvalidResponseFields) {
    super(summary, { ...fields, code: 'invalid_response' })
    this.status = status
    this.requestId = requestId
    this.issues = issues
  }
}

/**
 * Yields an error and its causes, outermost first. Recognises errors from another realm, such as the errors that a test
 * runner creates.
 */
export function* causes(error: unknown): Generator<Error> {
  for (let each = error; isError(each); each = each.cause) yield each
}

function isError(value: unknown): value is Error {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Error>).message === 'string'
}
