import { fromAddress } from '../mock/address.ts'
import type { MockClock } from '../mock/clock.ts'
import { decoded } from '../mock/decoded.ts'
import type { AnswerRequest, Outcome } from '../mock/outcome.ts'
import { abortable } from './abortable.ts'
import { disturbedBody } from './disturbed.ts'
import { fetchFailed, terminated } from './network-errors.ts'

/** What {@link createDirectFetch} takes. */
export interface DirectOptions {
  readonly answer: AnswerRequest
  /** Where a path without an origin belongs. */
  readonly origin: string
  /** Lets the latency of faults pass, and their silence. */
  readonly hold: MockClock['sleep']
  /** The address that requests come from. @default '127.0.0.1' */
  readonly address?: string
}

/** Makes a fetch that asks the world itself: no socket, no MSW. Fails as Node's own does. */
export function createDirectFetch({ answer, origin, hold, address }: DirectOptions): typeof globalThis.fetch {
  async function deliver(request: Request, outcome: Outcome, signal: AbortSignal | undefined): Promise<Response> {
    const { response, delayMs, disturbance } = outcome
    if (delayMs > 0) await hold(delayMs, signal)
    if (!disturbance) return decoded(response)
    // Never resolves.
    if (disturbance.kind === 'silence') return hold(Number.POSITIVE_INFINITY, signal) as Promise<never>
    if (disturbance.kind === 'reset') throw fetchFailed()
    return disturbedBody(request.method, response, disturbance, terminated)
  }

  return async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    signal?.throwIfAborted()
    const request = toRequest(input, init, origin)
    if (address !== undefined) fromAddress(request, address)
    const response = await abortable(
      answer(request, 'direct').then((outcome) => deliver(request, outcome, signal)),
      signal,
    )
    return Object.defineProperty(response, 'url', { value: request.url, configurable: true })
  }
}

function toRequest(input: string | URL | Request, init: RequestInit | undefined, origin: string): Request {
  if (input instanceof Request) return new Request(input, init)
  return new Request(typeof input === 'string' && input.startsWith('/') ? origin + input : input, init)
}
