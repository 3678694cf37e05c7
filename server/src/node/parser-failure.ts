import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorBody, type ErrorCode, HEADERS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { Failure } from '../app/http/failure.ts'

/** What Node's HTTP parser says of a request, and what the client is told of it. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/**
 * Answers a request that is no HTTP, or none in time, in the form of every other error, and closes its connection.
 * Such a request never reaches the app: there is no path to count and nothing to trust in it.
 */
export function answerParserFailure(error: NodeJS.ErrnoException, socket: Duplex, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error)
    return
  }
  const { code, status, message } = new Failure(CODES[error.code ?? ''] ?? 'malformed_request')
  const body = JSON.stringify({ error: message, code, requestId } satisfies ErrorBody)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${MEDIA_TYPES.json}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `${HEADERS.requestId}: ${requestId}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
