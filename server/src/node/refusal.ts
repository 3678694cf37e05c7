import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorBody, type ErrorCode, HEADERS, MEDIA_TYPES, REQUEST_ID_PATTERN } from '@fish-crab/sdk/contract'
import { Failure } from '../app/http/failure.ts'
import { METHODS } from '../app/http/route-label.ts'

/** Codes of Node's HTTP parser, and the codes that clients receive. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}
/** How long a connection stays open after a refusal, in milliseconds: long enough to arrive and be read. */
export const LINGER_MS = 500
/** What a `Host` may hold (RFC 3986, section 3.2): nothing that ends an authority, no user and no list. */
const HOST = /^[^\s/\\?#@,]*$/

/** The failure for a request that Node's parser rejected, or that did not arrive in time. */
export function parserFailure({ code = '' }: NodeJS.ErrnoException): Failure {
  return new Failure(CODES[code] ?? 'malformed_request')
}

/**
 * Why a request is refused although Node's parser took it: a proxy in front may have read it as another one, or as
 * two (RFC 9112, sections 3.2 and 6.1). `undefined`: it is not.
 */
export function ambiguityOf(req: IncomingMessage): Failure | undefined {
  const message = hostMistake(req) ?? codingMistake(req)
  return message === undefined ? undefined : new Failure('malformed_request', { message })
}

function hostMistake({ httpVersion, rawHeaders, headers }: IncomingMessage): string | undefined {
  const lines = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  if (lines > 1) return 'The request has more than one Host header. Send one.'
  if (lines === 0 && httpVersion === '1.1') return 'The request has no Host header. Send one.'
  return HOST.test(headers.host ?? '') ? undefined : 'The Host header is not a host, with or without a port.'
}

function codingMistake({ httpVersion, headers }: IncomingMessage): string | undefined {
  const coding = headers['transfer-encoding']
  if (coding === undefined || (httpVersion === '1.1' && coding.toLowerCase() === 'chunked')) return undefined
  return 'The only Transfer-Encoding that this server takes is chunked, in HTTP/1.1.'
}

/** The failure for `CONNECT`: a server that is no proxy opens no tunnel (RFC 9110, section 9.3.6). */
export function tunnelFailure(): Failure {
  return new Failure('method_not_allowed', {
    message: 'This server opens no tunnels. Send the request without CONNECT.',
    headers: { allow: METHODS.join(', ') },
  })
}

/** The id of a request that is refused: its client's own, where it sent one that can be kept. */
export function refusedRequestId({ headers }: IncomingMessage): string {
  const own = headers[HEADERS.requestId]
  return typeof own === 'string' && REQUEST_ID_PATTERN.test(own) ? own : crypto.randomUUID()
}

/**
 * Responds to what must not reach the app in the form of every other error, and closes the connection: at once for
 * this side, and for a client that does not close its own after a moment, so that it holds no descriptor.
 */
export function refuse(
  socket: Duplex,
  { code, status, message, headers }: Failure,
  { requestId, method }: { readonly requestId: string; readonly method?: string | undefined },
): void {
  // The response before was the last one on its connection.
  if (!socket.writable) return
  const body = JSON.stringify({ error: message, code, requestId } satisfies ErrorBody)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${MEDIA_TYPES.json}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `${HEADERS.requestId}: ${requestId}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${method === 'HEAD' ? '' : body}`)
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(cut))
}
