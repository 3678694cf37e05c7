import type { ServerResponse } from 'node:http'
import { HEADERS } from '@fish-crab/sdk/contract'
import { FastResponse } from 'srvx'
import { sendNodeResponse } from 'srvx/node'

type OnCut = (error: unknown, requestId: string | undefined) => void

interface Streamed {
  readonly body: ReadableStream<Uint8Array>
  readonly headers: Readonly<Record<string, string>>
}

/** A response that Node sends without a stream, unless its body is one. */
export class SentResponse extends FastResponse {
  #streamed: Streamed | undefined

  constructor(body?: BodyInit | null, init?: ResponseInit) {
    if (!(body instanceof ReadableStream)) {
      super(body, init)
      return
    }
    // What it needs no more when it is sent is not kept for hours.
    super(null, { status: init?.status ?? 200 })
    this.#streamed = { body, headers: init?.headers as Record<string, string> }
  }

  /**
   * Settles when it is sent, or when its stream has begun.
   * @param onCut called with the error that ends the stream early, unless its client left
   */
  async send(res: ServerResponse, onCut: OnCut): Promise<void> {
    const streamed = this.#streamed
    this.#streamed = undefined
    if (!streamed) return sendNodeResponse(res, this)
    res.writeHead(this.status, Object.entries(streamed.headers).flat())
    joinHead(res)
    sendStream(res, streamed.body, (error) => onCut(error, streamed.headers[HEADERS.requestId]))
  }
}

/**
 * Sends a body as the client takes it. Streams of events are open for hours, and there are thousands: this keeps a third of
 * what a pipe of promises does.
 */
function sendStream(res: ServerResponse, body: ReadableStream<Uint8Array>, onCut: (error: unknown) => void): void {
  const reader = body.getReader()
  const fail = (error: unknown) => {
    if (!res.destroyed) onCut(error)
    res.destroy(error as Error)
  }
  const read = () => {
    reader.read().then(({ done, value }) => {
      if (done) res.end()
      else if (res.write(value)) read()
      else res.once('drain', read)
    }, fail)
  }
  const cancel = () => {
    reader.cancel().catch(() => {})
  }
  // It says so once.
  if (res.closed) cancel()
  else {
    res.once('close', cancel)
    read()
  }
}

/**
 * Node keeps the head of a response for as long as that lasts, in the fifty pieces that it is made of. Reading a character
 * lets V8 join them, which takes a third of the memory. Without this property, nothing changes.
 */
function joinHead(res: ServerResponse & { readonly _header?: string | null }): void {
  res._header?.charCodeAt(0)
}
