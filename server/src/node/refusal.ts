import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Failure } from '../app/http/failure.ts'
import { rawErrorResponse } from '../app/http/raw-error.ts'
import { METHODS } from '../app/http/route-label.ts'

/** How long a connection stays open after a refusal, in milliseconds: long enough to arrive and be read. */
export const LINGER_MS = 500
/** What a `Host` may hold (RFC 3986, section 3.2): nothing that ends an authority, no user and no list. */
const HOST = /^[^\s/\\?#@,]*$/

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

/**
 * Responds to what must not reach the app in the form of every other error, and closes the connection: at once for
 * this side, and for a client that does not close its own after a moment, so that it holds no descriptor.
 */
export function refuse(
  socket: Duplex,
  failure: Failure,
  request: { readonly requestId: string; readonly method?: string | undefined },
): void {
  // The response before was the last one on its connection.
  if (!socket.writable) return
  socket.end(rawErrorResponse(failure, { ...request, reason: STATUS_CODES[failure.status] }))
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(cut))
}
