import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ERROR_CODES, type ErrorBody, type ErrorCode, HEADERS, MEDIA_TYPES } from '@fish-crab/sdk/contract'

/** What Node's HTTP parser says of a request, and what the client is told of it. As the server does. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Answers a request that is no HTTP in the form of every other error, and closes its connection. */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const code = CODES[error.code ?? ''] ?? 'malformed_request'
  const { status, message } = ERROR_CODES[code]
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

/** The answer when the world itself failed: a mistake in what the test set up, so it is said aloud. */
export function mistakeAnswer(error: unknown, requestId: string): Response {
  const message = error instanceof Error ? error.message : 'unknown'
  const { status } = ERROR_CODES.internal_error
  const body: ErrorBody = { error: `The mock failed: ${message}`, code: 'internal_error', requestId }
  return Response.json(body, { status, headers: { [HEADERS.requestId]: requestId } })
}
