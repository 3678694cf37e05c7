import { ERROR_CODES, type ErrorBody, type ErrorCode, HEADERS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { StorageError } from '../../storage/core/errors.ts'
import type { Logger } from '../core/host.ts'

export interface ErrorDetail {
  readonly path: string
  readonly message: string
}

interface HttpErrorOptions {
  readonly message?: string
  readonly details?: readonly ErrorDetail[]
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** Ends a request with a documented error. All fields except `cause` may be sent to the client. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: readonly ErrorDetail[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, { message, details, headers = {}, cause }: HttpErrorOptions = {}) {
    super(message ?? ERROR_CODES[code].message, { cause })
    this.code = code
    this.status = ERROR_CODES[code].status
    this.details = details
    this.headers = headers
  }
}

/** How soon a client may try again while the storage is full, in seconds. Somebody has to free space first. */
const FULL_RETRY_SECONDS = 60

export function storageFullError(): HttpError {
  return new HttpError('storage_full', { headers: { [HEADERS.retryAfter]: String(FULL_RETRY_SECONDS) } })
}

/** Returns the error that the client may see, and logs the details. */
export function toHttpError(
  error: unknown,
  logger: Logger,
  { isClosed, requestId }: { readonly isClosed: () => boolean; readonly requestId: string },
): HttpError {
  // Handlers throw these errors on purpose. The log line of the request is enough.
  if (error instanceof HttpError && (error.status < 500 || error.cause === undefined)) return error
  if (isClosed()) {
    logger.info({ requestId }, 'the client closed the request')
    return new HttpError('client_closed_request')
  }
  const httpError = error instanceof HttpError ? error : toPublicError(error)
  logger.error({ requestId, code: httpError.code, err: error }, 'a request failed')
  return httpError
}

function toPublicError(error: unknown): HttpError {
  if (!(error instanceof StorageError)) return new HttpError('internal_error')
  return error.code === 'full' ? storageFullError() : new HttpError('storage_error')
}

export function errorBody({ message, code, details }: HttpError, requestId: string): ErrorBody {
  return { error: message, code, requestId, ...(details ? { details: [...details] } : {}) }
}

const PARSER_ERRORS: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** The error for a request that Node's HTTP parser rejected, or that did not arrive in time. */
export function parserError({ code = '' }: { readonly code?: string | undefined }): HttpError {
  return new HttpError(PARSER_ERRORS[code] ?? 'malformed_request')
}

interface RawErrorOptions {
  readonly requestId: string
  readonly reason: string | undefined
  readonly method?: string | undefined
}

/** Formats an error as an HTTP/1.1 response with `connection: close`, for requests that never reach the app. */
export function rawErrorResponse(error: HttpError, { requestId, reason = '', method }: RawErrorOptions): string {
  const body = JSON.stringify(errorBody(error, requestId))
  const head = [
    `HTTP/1.1 ${error.status} ${reason}`,
    `content-type: ${MEDIA_TYPES.json}`,
    'x-content-type-options: nosniff',
    `content-length: ${new TextEncoder().encode(body).byteLength}`,
    `${HEADERS.requestId}: ${requestId}`,
    ...Object.entries(error.headers).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${method === 'HEAD' ? '' : body}`
}
