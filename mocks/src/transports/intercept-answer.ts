import { Socket } from 'node:net'
// By name: fake timers replace the global ones, and no test means to stop the network with them.
import { setImmediate } from 'node:timers'
import type { MockClock } from '../mock/clock.ts'
import type { Outcome } from '../mock/outcome.ts'
import { isBodiless } from './bodiless.ts'
import { connectionReset } from './network-errors.ts'

/** The part of an interceptor's controller that this lane uses. */
export interface Exchange {
  readonly request: Request
  readonly controller: {
    readonly readyState: number
    respondWith(response: Response): void
    errorWith(reason: unknown): void
  }
  /** The far end of the client's socket. */
  readonly initiator: unknown
}

/** Brings an outcome about on an intercepted exchange, as a network would. Settles when nothing more is to be done. */
export async function bringAbout(
  outcome: Outcome,
  exchange: Exchange,
  sleep: MockClock['sleep'],
  ended: AbortSignal,
): Promise<void> {
  const { response, delayMs, disturbance } = outcome
  const { controller, request } = exchange
  // No network answers within the turn in which it was asked. Clients rely on that to see that a connection is free.
  await nextTurn()
  if (delayMs > 0) await stay(ended, () => sleep(delayMs, ended))
  if (ended.aborted) return
  switch (disturbance?.kind) {
    case undefined:
      controller.respondWith(await withLength(response))
      return
    case 'silence':
      await stay(ended, () => sleep(Number.POSITIVE_INFINITY, ended))
      return
    case 'reset':
      controller.errorWith(connectionReset())
      return
    case 'cut-body':
      if (request.method === 'CONNECT') controller.errorWith(connectionReset())
      else if (isBodiless(request.method, response)) controller.respondWith(await withLength(response))
      else controller.respondWith(await broken(response, disturbance.share, () => hangUp(exchange)))
  }
}

/** Waits for the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Waits until the exchange has ended, or no longer than told, and keeps the process alive as an open connection does. */
async function stay(ended: AbortSignal, wait: () => Promise<void>): Promise<void> {
  if (ended.aborted) return
  const connection = setInterval(() => undefined, 2 ** 30)
  try {
    await wait()
  } catch (error) {
    if (!ended.aborted) throw error
  } finally {
    clearInterval(connection)
  }
}

/** A body without a length would be ended by closing the connection, and then a body cut short looks complete. */
async function withLength(response: Response): Promise<Response> {
  if (!response.body || response.headers.has('content-length')) return response
  const body = await response.arrayBuffer()
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  headers.set('content-length', String(body.byteLength))
  return new Response(body, { status, statusText, headers })
}

/** The same answer, of which only a share of the body comes before the connection breaks. */
async function broken(response: Response, share: number, breakOff: () => void): Promise<Response> {
  const body = new Uint8Array(await response.arrayBuffer())
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  headers.set('content-length', String(Math.max(body.byteLength, 1)))
  const pieces = [body.subarray(0, Math.floor(body.byteLength * share))]
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(reader) {
        const piece = pieces.shift()
        // An empty piece makes the headers leave.
        if (piece) reader.enqueue(piece)
        else {
          await nextTurn()
          breakOff()
        }
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(stream, { status, statusText, headers })
}

function hangUp({ initiator }: Exchange): void {
  if (!(initiator instanceof Socket)) return
  // The interceptor's own way to close tells clients that a connection closed before it tells them why.
  Reflect.deleteProperty(initiator, '_destroy')
  initiator.end()
}
