import { untilAborted } from '../../../sdk/src/internal/wait.ts'
import type { MockClock } from '../service/clock.ts'
import { decodeContent, type HandleRequest } from '../service/outcome.ts'
import { setAddress } from '../service/request.ts'
import { warnOfFakeTimers } from './fake-timers.ts'
import { applyOutcome, fetchFailed, terminate } from './network-faults.ts'

export interface DirectOptions {
  readonly handle: HandleRequest
  /** The origin that paths are resolved against. */
  readonly origin: string
  readonly hold: MockClock['sleep']
  /** The address of the client. @default '127.0.0.1' */
  readonly address?: string
}

/** Creates a `fetch` that calls the mock directly and fails with the errors of Node's `fetch`. */
export function createDirectFetch({ handle, origin, hold, address }: DirectOptions): typeof globalThis.fetch {
  async function send(request: Request, signal: AbortSignal | undefined): Promise<Response> {
    const outcome = await handle(request, 'direct')
    const connection = { sleep: hold, signal, reset: fetchFailed, cut: terminate }
    const response = await applyOutcome(request, outcome, connection)
    return outcome.networkFault ? response : decodeContent(response)
  }

  return async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    signal?.throwIfAborted()
    const request = toRequest(input, init, origin)
    if (address !== undefined) setAddress(request, address)
    const response = await warnOfFakeTimers(
      untilAborted(() => send(request, signal), signal),
      ['queueMicrotask'],
    )
    return Object.defineProperty(response, 'url', { value: request.url, configurable: true })
  }
}

function toRequest(input: string | URL | Request, init: RequestInit | undefined, origin: string): Request {
  if (input instanceof Request) return new Request(input, init)
  return new Request(typeof input === 'string' && input.startsWith('/') ? origin + input : input, init)
}
