import { brand, FishCrabError, type FishCrabErrorFields, type Issue } from './fish-crab-error.ts'

/** What a {@link ConnectionError} is made from. */
export interface ConnectionErrorFields extends Omit<FishCrabErrorFields, 'code'> {
  readonly code?: string | undefined
  /** The system's name for what broke, such as `ECONNREFUSED`. */
  readonly systemCode?: string | undefined
  /** The proxy that it broke at, without credentials. */
  readonly proxy?: string | undefined
}

/**
 * The server did not answer: it cannot be reached, or the connection broke, also when tried again. A write may have
 * been stored all the same; sending it again is safe when it is the same token (see `fish.encrypt`). `code` is
 * `connection_error`, or `proxy_error` where it was the proxy of the environment that did not let it through: then
 * nothing reached the server.
 */
export class ConnectionError extends FishCrabError {
  static {
    brand(ConnectionError, 'ConnectionError')
  }
  /** The system's name for what broke, such as `ECONNREFUSED`, where it gave one. */
  readonly systemCode: string | undefined
  /** The address of the proxy that did not let the request through, without credentials, where it was that. */
  readonly proxy: string | undefined

  constructor(summary: string, { code = 'connection_error', systemCode, proxy, ...fields }: ConnectionErrorFields) {
    super(summary, { ...fields, code })
    this.systemCode = systemCode
    this.proxy = proxy
  }
}

/**
 * No whole answer came within `timeoutMs`, or the call did not come to its end within `deadlineMs`. A write may have
 * been stored all the same. `code` is `timeout`.
 */
export class TimeoutError extends ConnectionError {
  static {
    brand(TimeoutError, 'TimeoutError')
  }

  constructor(summary: string, fields: Omit<ConnectionErrorFields, 'code'> = {}) {
    super(summary, { ...fields, code: 'timeout' })
  }
}

/** What an {@link InvalidResponseError} is made from. */
interface InvalidResponseFields extends Omit<FishCrabErrorFields, 'code' | 'cause'> {
  /** HTTP status. */
  readonly status: number
  readonly requestId?: string | undefined
  readonly issues?: readonly Issue[] | undefined
}

/**
 * What answered is not this service: no JSON, JSON of another shape, a redirect, or far too much. Check `baseUrl`.
 * `code` is `invalid_response`.
 */
export class InvalidResponseError extends FishCrabError {
  static {
    brand(InvalidResponseError, 'InvalidResponseError')
  }
  /** HTTP status. */
  readonly status: number
  readonly requestId: string | undefined
  readonly issues: readonly Issue[]

  constructor(summary: string, { status, requestId, issues = [], ...fields }: InvalidResponseFields) {
    super(summary, { ...fields, code: 'invalid_response' })
    this.status = status
    this.requestId = requestId
    this.issues = issues
  }
}

/** An error and what caused it, down to the first cause; also those of another realm, as test runners make them. */
export function* causes(error: unknown): Generator<Error> {
  for (let each = error; isError(each); each = each.cause) yield each
}

function isError(value: unknown): value is Error {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Error>).message === 'string'
}
