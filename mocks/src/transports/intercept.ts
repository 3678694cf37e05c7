import { Socket } from 'node:net'
import { emitWarning } from 'node:process'
import { TLSSocket } from 'node:tls'
import { EVENT_STREAM } from '@fish-crab/sdk/contract'
import { FetchInterceptor } from '@mswjs/interceptors/fetch'
import { HttpRequestInterceptor } from '@mswjs/interceptors/http'
import { createClock, type MockClock } from '../service/clock.ts'
import type { HandleRequest } from '../service/outcome.ts'
import { warnOfFakeTimers } from './fake-timers.ts'
import { applyOutcome, closeOnRequest, closeOtherSide, connectionReset, withHeader } from './network-faults.ts'
import {
  decide,
  type OnUnhandled,
  originOf,
  type Passthrough,
  type UnhandledPolicy,
  UnhandledRequestError,
} from './unhandled.ts'

export { type OnUnhandled, type Passthrough, UnhandledRequestError } from './unhandled.ts'

/** Options of {@link intercept}. */
export interface InterceptOptions {
  /** Handles requests to the origin. */
  readonly handle: HandleRequest
  /** The origin that is mocked, such as `http://fish.test`. The origin needs no server and no DNS entry. */
  readonly origin: string
  /** Waits for the delay of a fault, on the clock of the mock. @default in real time */
  readonly sleep?: MockClock['sleep']
  /**
   * The treatment of requests to other origins: with `error`, the requests fail with {@link UnhandledRequestError};
   * with `warn`, the requests are sent and the process emits a warning; with `bypass`, the requests are sent without a
   * warning.
   * @default 'error'
   */
  readonly onUnhandled?: OnUnhandled
  /** Origins to which requests are really sent, or `loopback` for every server on this machine. @default none */
  readonly passthrough?: readonly Passthrough[]
  /** The origins at which the mock is currently served. Requests to these origins are really sent. @default none */
  readonly served?: ReadonlySet<string>
}

/** A running interception. */
export interface Interception {
  /** Stops handling requests and resets requests in flight. Closing the last interception restores the process. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

interface Listener extends UnhandledPolicy {
  readonly handle: HandleRequest
  readonly sleep: MockClock['sleep']
  readonly closed: AbortSignal
}

interface Interceptions {
  readonly byOrigin: Map<string, Listener>
  readonly stop: () => Promise<void>
}

// The interceptor affects the whole process, so its state is shared by all copies of this module.
const REGISTRY = Symbol.for('fish-crab.interceptions')
interface Registry {
  [REGISTRY]?: Interceptions | undefined
}

/**
 * Intercepts the HTTP/1.1 requests that the process sends with the global `fetch` (even if a module captured `fetch`
 * before), undici, node:http and node:https. Requests through a proxy are intercepted if they contain the whole URL.
 * Other requests, such as for a tunnel through a proxy, are blocked unless they are allowed. Connections that are
 * already open, other protocols, worker threads and child processes are not intercepted.
 * @throws Error when another mock already listens for the origin.
 * @throws TypeError when the origin is not a URL.
 * @example
 * const interception = await intercept({ handle, origin: 'http://fish.test' })
 * await fetch('http://fish.test/demo/fish')
 * await interception.close()
 */
export async function intercept(options: InterceptOptions): Promise<Interception> {
  const { handle, sleep = createClock({}).sleep, onUnhandled = 'error', passthrough = [], served = new Set() } = options
  const origin = originOf(options.origin)
  for (const allowed of passthrough) if (allowed !== 'loopback') originOf(allowed)
  const { byOrigin, stop } = interceptions()
  if (byOrigin.has(origin)) {
    throw new Error(`Another mock already listens for ${origin}. Close it first, or give each mock its own origin.`)
  }
  const closed = new AbortController()
  byOrigin.set(origin, { handle, sleep, onUnhandled, passthrough, served, closed: closed.signal })
  const close = async () => {
    if (closed.signal.aborted) return
    byOrigin.delete(origin)
    closed.abort()
    if (byOrigin.size === 0) await stop()
  }
  return { close, [Symbol.asyncDispose]: close }
}

function interceptions(): Interceptions {
  const registry = globalThis as Registry
  registry[REGISTRY] ??= start(() => {
    delete registry[REGISTRY]
  })
  return registry[REGISTRY]
}

function start(onStop: () => void): Interceptions {
  const byOrigin = new Map<string, Listener>()
  const sockets = new Set<Socket>()
  const inFlight = new Set<Promise<void>>()
  const decideOrigin = (origin: string): OnUnhandled =>
    byOrigin.has(origin) ? 'error' : decide(origin, byOrigin.values())
  const decideAddress = (address: string): OnUnhandled => {
    const decideScheme = (scheme: string) => decideOrigin(originOf(`${scheme}://${address}`))
    return decideScheme('https') === 'bypass' ? 'bypass' : decideScheme('http')
  }

  const interceptor = new HttpRequestInterceptor()
  interceptor.apply()
  // Marks the connections of `fetch` as HTTP, including an idle connection that undici reopens after an aborted
  // request.
  const fetchInterceptor = new FetchInterceptor()
  const realFetch = globalThis.fetch
  globalThis.fetch = (...call) => warnOfFakeTimers(realFetch(...call), ['nextTick', 'queueMicrotask'])
  try {
    fetchInterceptor.apply()
  } catch (cause) {
    interceptor.dispose()
    globalThis.fetch = realFetch
    throw new Error(
      'listen() cannot intercept fetch, since another library already does, such as setupServer of MSW. ' +
        'Add the mock to that server instead: server.use(...mock.handlers()).',
      { cause },
    )
  }
  interceptor.on('request', async (intercepted) => {
    const { request, controller, initiator } = intercepted
    if (controller.readyState !== 0) return
    if (initiator instanceof Socket && !sockets.has(initiator)) {
      sockets.add(initiator)
      initiator.once('close', () => sockets.delete(initiator))
    }
    if (request.method === 'CONNECT') {
      handleUnhandled(intercepted, `tcp://${request.url}`, decideAddress(request.url))
      return
    }
    const origin = originOf(request.url)
    const listener = byOrigin.get(origin)
    if (listener) {
      const handled = handleIntercepted(listener, intercepted)
      inFlight.add(handled)
      await handled
      inFlight.delete(handled)
    } else handleUnhandled(intercepted, origin, decideOrigin(origin))
  })
  return {
    byOrigin,
    async stop() {
      onStop()
      await Promise.all(inFlight)
      fetchInterceptor.dispose()
      interceptor.dispose()
      globalThis.fetch = realFetch
      // Close the connections, because clients would otherwise reuse connections to a closed mock.
      const closed = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy()))
      await Promise.all(closed)
    },
  }
}

interface InterceptedRequest {
  readonly request: Request
  readonly controller: {
    /** The state 0 means that the request is not handled yet. */
    readonly readyState: number
    respondWith(response: Response): void
    errorWith(reason: unknown): void
  }
  /** The server side of the client's socket. */
  readonly initiator: unknown
}

/** Passes a request to its mock. Never rejects. */
async function handleIntercepted({ handle, sleep, closed }: Listener, intercepted: InterceptedRequest): Promise<void> {
  const { request, controller, initiator } = intercepted
  const ended = AbortSignal.any([request.signal, closed])
  // Without this call, clients would reuse the interceptor's fake TLS session for their next connection. The fake
  // session leaves an error in OpenSSL's queue, and Node aborts at the end of the next `crypto.subtle.encrypt`.
  if (initiator instanceof TLSSocket) initiator.removeAllListeners('session')
  try {
    const outcome = await handle(request, 'intercept')
    const response = await applyOutcome(request, outcome, {
      sleep: (...call) => keepAlive(sleep(...call)),
      signal: ended,
      reset: connectionReset,
      cut: closeOtherSide,
    })
    ended.throwIfAborted()
    if (outcome.networkFault) controller.respondWith(response)
    else {
      const whole = isEventStream(response) ? untilEnd(response, ended) : await withLength(response)
      controller.respondWith(closeOnRequest(request, whole))
    }
  } catch (error) {
    if (controller.readyState !== 0 || request.signal.aborted) return
    // The mock may have been closed while the client was waiting.
    controller.errorWith(closed.aborted ? connectionReset() : error)
  }
}

function handleUnhandled({ request, controller }: InterceptedRequest, origin: string, onUnhandled: OnUnhandled): void {
  if (onUnhandled === 'error') {
    controller.errorWith(new UnhandledRequestError(request.method, origin))
    return
  }
  if (onUnhandled === 'warn') {
    emitWarning(`${request.method} ${origin} was sent, since no mock handles it.`, 'UnhandledRequestWarning')
  }
}

/** Keeps the process alive during a wait, as an open connection does. */
function keepAlive(wait: Promise<void>): Promise<void> {
  const connection = setInterval(() => undefined, 2 ** 30)
  return wait.finally(() => clearInterval(connection))
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith(EVENT_STREAM.type) === true
}

/** Returns a response with a body that is aborted when the client or the mock ends the request. */
function untilEnd({ body, status, headers }: Response, ended: AbortSignal): Response {
  return new Response(body?.pipeThrough(new TransformStream(), { signal: ended }) ?? null, { status, headers })
}

/**
 * Sets `content-length`. Without this header, the end of the connection ends the body, and a truncated body looks
 * complete.
 */
async function withLength(response: Response): Promise<Response> {
  if (!response.body || response.headers.has('content-length')) return response
  const body = await response.arrayBuffer()
  return withHeader(response, body, 'content-length', String(body.byteLength))
}
