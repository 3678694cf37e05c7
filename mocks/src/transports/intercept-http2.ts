import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientHttp2Stream } from 'node:http2'
import { UnhandledRequestError } from './intercept-policy.ts'

// HTTP/2 writes natively, past every socket's own way to write: only its announcements tell of it.
const STREAM_CREATED = 'http2.client.stream.created'

interface StreamCreated {
  readonly stream: ClientHttp2Stream
  readonly headers: Readonly<Record<string, unknown>>
}

/**
 * Stops requests over HTTP/2, which the mocks do not speak, before they leave.
 * @param mayLeave Whether a request to an origin may go out.
 * @returns Undoes it.
 */
export function refuseHttp2(mayLeave: (origin: string) => boolean): () => void {
  const onCreated = (message: unknown) => {
    const { stream, headers } = message as StreamCreated
    const authority = String(headers[':authority'] ?? headers.host ?? '')
    const scheme = String(headers[':scheme'] ?? 'https')
    const origin = URL.canParse(`${scheme}://${authority}`) ? new URL(`${scheme}://${authority}`).origin : authority
    if (mayLeave(origin)) return
    stream.session?.destroy(new UnhandledRequestError(`HTTP/2 ${headers[':method']}`, origin))
  }
  subscribe(STREAM_CREATED, onCreated)
  return () => {
    unsubscribe(STREAM_CREATED, onCreated)
  }
}
