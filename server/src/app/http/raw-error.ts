import { type ErrorCode, HEADERS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { errorBody } from './answer.ts'
import { Failure } from './failure.ts'

/** Codes of Node's HTTP parser, and the codes that clients receive. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** The error for a request that Node's parser rejected, or that did not arrive in time. */
export function parserError({ code = '' }: { readonly code?: string | undefined }): Failure {
  return new Failure(CODES[code] ?? 'malformed_request')
}

/** What {@link rawErrorResponse} takes beside the error. */
export interface RawErrorOptions {
  readonly requestId: string
  /** The reason phrase of the status line. */
  readonly reason: string | undefined
  readonly method?: string | undefined
}

/** An error as an HTTP/1.1 message that ends its connection, for requests that reach no app. */
export function rawErrorResponse(error: Failure, { requestId, reason = '', method }: RawErrorOptions): string {
  const body = JSON.stringify(errorBody(error, requestId))
  const head = [
    `HTTP/1.1 ${error.status} ${reason}`,
    `content-type: ${MEDIA_TYPES.json}`,
    `content-length: ${new TextEncoder().encode(body).byteLength}`,
    `${HEADERS.requestId}: ${requestId}`,
    ...Object.entries(error.headers).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${method === 'HEAD' ? '' : body}`
}
