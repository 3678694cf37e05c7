import type { MockClock } from '../service/clock.ts'
import type { NetworkFault, Outcome } from '../service/outcome.ts'

type CutBodyFault = Extract<NetworkFault, { kind: 'cut-body' }>

/** How a transport waits, and how its connections fail. */
interface Connection {
  readonly sleep: MockClock['sleep']
  /** Aborts when the client or the mock ends the request. */
  readonly signal: AbortSignal | undefined
  /** Returns the error of a connection that is reset before the response. */
  reset(): Error
  /** Ends the connection within a body. */
  cut(stream: ReadableStreamDefaultController): void
}

/**
 * Waits for the delay of an outcome, and applies its network fault to the response.
 * @throws the error of `reset`, or the reason of the signal when it aborts a wait
 */
export async function applyOutcome(
  { method }: Pick<Request, 'method'>,
  { response, delayMs, networkFault }: Outcome,
  { sleep, signal, reset, cut }: Connection,
): Promise<Response> {
  // Delay the response before any other wait, so that an advance of the clock includes the delay.
  if (delayMs > 0) await sleep(delayMs, signal)
  switch (networkFault?.kind) {
    case undefined:
      return response
    case 'silence':
      return sleep(Number.POSITIVE_INFINITY, signal) as Promise<never>
    case 'reset':
      throw reset()
    case 'cut-body':
      return cutBody(method, response, networkFault, cut)
  }
}

/**
 * Truncates the body of a response, then calls `breakOff` to end the stream or its connection. A response without a
 * body is returned unchanged.
 */
async function cutBody(
  method: string,
  response: Response,
  { share }: CutBodyFault,
  breakOff: (stream: ReadableStreamDefaultController) => void,
): Promise<Response> {
  if (isBodiless(method, response)) return response
  const body = new Uint8Array(await response.arrayBuffer())
  // Even an empty chunk causes the headers to be sent.
  const chunks = [body.subarray(0, Math.floor(body.byteLength * share))]
  const pull = (controller: ReadableStreamDefaultController) => {
    const chunk = chunks.shift()
    if (chunk) controller.enqueue(chunk)
    else breakOff(controller)
  }
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({ pull }, { highWaterMark: 0 })
  return withHeader(response, stream, 'content-length', String(Math.max(body.byteLength, 1)))
}

/** Returns a response with the given body and one changed header. */
export function withHeader(response: Response, body: BodyInit | null, name: string, value: string): Response {
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  headers.set(name, value)
  return new Response(body, { status, statusText, headers })
}

/**
 * Responds to `connection: close` with the same header, as servers do (RFC 9112, section 9.6). Otherwise, MSW would end
 * a connection that Node's client is about to reuse.
 */
export function closeOnRequest({ headers: requested }: Request, response: Response): Response {
  const isClosing = /\bclose\b/i.test(requested.get('connection') ?? '')
  return isClosing ? withHeader(response, response.body, 'connection', 'close') : response
}

/** Statuses without a body (RFC 9110, section 6.4.1). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

function isBodiless(method: string, { status }: Pick<Response, 'status'>): boolean {
  return method === 'HEAD' || BODILESS.has(status)
}

/** The error of Node's `fetch` when the connection is reset before the response (as of Node 24). */
export function fetchFailed(): TypeError {
  return new TypeError('fetch failed', { cause: connectionReset() })
}

/** Fails a body as Node's `fetch` does when the connection ends before `content-length` is reached. */
export function terminate(stream: ReadableStreamDefaultController): void {
  stream.error(new TypeError('terminated', { cause: otherSideClosed() }))
}

/** Fails a body with the error below that of `fetch`, as MSW's interceptors expect. */
export function closeOtherSide(stream: ReadableStreamDefaultController): void {
  stream.error(otherSideClosed())
}

/** Node's error of a socket that was reset. */
export function connectionReset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { errno: -104, code: 'ECONNRESET', syscall: 'read' })
}

function otherSideClosed(): Error {
  const error = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
  error.name = 'SocketError'
  return error
}
