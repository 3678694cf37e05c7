import { HttpRequestInterceptor } from '@mswjs/interceptors/http'
import { createClock, type MockClock } from '../mock/clock.ts'
import type { AnswerRequest } from '../mock/outcome.ts'
import { adoptOldSockets } from './intercept-adopt.ts'
import { guardConnections } from './intercept-connections.ts'
import { answerExchange, openTunnel, treatUnhandled } from './intercept-exchange.ts'
import { refuseHttp2 } from './intercept-http2.ts'
import {
  judge,
  type OnUnhandled,
  originOf,
  type Passthrough,
  type UnhandledPolicy,
  type Verdict,
} from './intercept-policy.ts'

export { type OnUnhandled, type Passthrough, UnhandledRequestError } from './intercept-policy.ts'

/** What {@link intercept} takes. */
export interface InterceptOptions {
  /** Answers the requests to the origin. */
  readonly answer: AnswerRequest
  /** The origin that is mocked, such as `http://fish.test`. Needs no server and no entry in DNS. */
  readonly origin: string
  /** Lets the latency of faults pass, on the clock of the world. @default in real time */
  readonly sleep?: MockClock['sleep']
  /**
   * What becomes of requests to other origins: they fail with {@link UnhandledRequestError}, go out with a warning of
   * the process, or go out.
   * @default 'error'
   */
  readonly onUnhandled?: OnUnhandled
  /** Origins that requests may really go to; `loopback` stands for every server on this machine. @default none */
  readonly passthrough?: readonly Passthrough[]
}

/** Requests being intercepted. */
export interface Interception {
  /** Answers no more. Requests that are still waited for are reset. The last one to close leaves the process as it was. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

interface Listener extends UnhandledPolicy {
  readonly answer: AnswerRequest
  readonly sleep: MockClock['sleep']
  readonly closed: AbortController
}

interface Interceptions {
  readonly byOrigin: Map<string, Listener>
  readonly stop: () => void
}

// What is patched belongs to the process, so what it is patched for has to be known to the whole process too, also
// where this module was loaded twice.
const REGISTRY = Symbol.for('fish-crab.interceptions')
interface Registry {
  [REGISTRY]?: Interceptions | undefined
}

/**
 * Intercepts every request of the process: of the global fetch (also one that was kept from before), of undici,
 * node:http and node:https, through a proxy, and over connections that were opened before. Nothing leaves the process
 * unless it was allowed to. Worker threads, child processes and HTTP/2 are not answered; HTTP/2 fails.
 * @throws Error when another mock already answers for the origin.
 * @throws TypeError when the origin is no URL.
 * @example
 * await using interception = await intercept({ answer, origin: 'http://fish.test' })
 * await fetch('http://fish.test/demo/fish')
 */
export async function intercept(options: InterceptOptions): Promise<Interception> {
  const { answer, sleep = createClock({}).sleep, onUnhandled = 'error', passthrough = [] } = options
  const origin = originOf(options.origin)
  for (const allowed of passthrough) if (allowed !== 'loopback') originOf(allowed)
  const { byOrigin, stop } = interceptions()
  if (byOrigin.has(origin)) {
    throw new Error(
      `Another mock already listens for ${origin}. Close it first, or give each mock an origin of its own.`,
    )
  }
  const closed = new AbortController()
  byOrigin.set(origin, { answer, sleep, onUnhandled, passthrough, closed })
  const close = async () => {
    if (closed.signal.aborted) return
    byOrigin.delete(origin)
    closed.abort()
    if (byOrigin.size === 0) stop()
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
  const seen = new WeakSet<object>()
  const judgeOrigin = (origin: string): Verdict => (byOrigin.has(origin) ? 'refuse' : judge(origin, byOrigin.values()))
  const judgeAddress = (address: string): Verdict => {
    const verdicts = ['http', 'https', 'tcp'].map((scheme) => judgeOrigin(originOf(`${scheme}://${address}`)))
    return verdicts.find((verdict) => verdict === 'pass') ?? verdicts[0] ?? 'refuse'
  }

  // Before the interceptor begins, so that no connection is looked at by it first.
  const unguard = guardConnections(seen, (address) => judgeAddress(address) !== 'refuse')
  const interceptor = new HttpRequestInterceptor()
  interceptor.apply()
  interceptor.on('request', async (exchange) => {
    const { request, controller } = exchange
    if (controller.readyState !== 0) return
    if (request.method === 'CONNECT') {
      if (byOrigin.has(originOf(`http://${request.url}`)) || byOrigin.has(originOf(`https://${request.url}`))) {
        await openTunnel(interceptor, exchange)
      } else treatUnhandled(exchange, `tcp://${request.url}`, judgeAddress(request.url), seen)
      return
    }
    const origin = originOf(request.url)
    const listener = byOrigin.get(origin)
    if (listener) await answerExchange({ ...listener, closed: listener.closed.signal }, exchange)
    else treatUnhandled(exchange, origin, judgeOrigin(origin), seen)
  })
  const undo = [
    unguard,
    // Only what needs no look may go the old way: a warning is given by the new one.
    adoptOldSockets(({ origin }) => judgeOrigin(origin) === 'pass'),
    refuseHttp2((origin) => judgeOrigin(origin) !== 'refuse'),
  ]
  return {
    byOrigin,
    stop() {
      onStop()
      interceptor.dispose()
      for (const restore of undo) restore()
    },
  }
}
