import type { ClientOptions, Clock } from '@fish-crab/sdk'
import { generateFernetKey } from '@fish-crab/sdk/fernet'

/** A request to a stubbed fetch. */
export interface StubRequest {
  readonly url: URL
  readonly init: RequestInit
  readonly headers: Headers
}

type Step = Response | Error | ((request: StubRequest) => Response | Promise<Response>)

/** A fetch that returns the scripted responses one after another, and records its requests. */
export function scriptedFetch(...steps: Step[]) {
  const requests: StubRequest[] = []
  const fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const step = steps[requests.length]
    const request = { url: new URL(String(url)), init, headers: new Headers(init.headers) }
    requests.push(request)
    if (step === undefined) throw new Error(`The script has no response number ${requests.length}.`)
    if (step instanceof Error) throw step
    return typeof step === 'function' ? step(request) : step
  }
  return { fetch: fetch as typeof globalThis.fetch, requests }
}

/** A clock that skips every sleep. `slept` contains the duration of each sleep. */
export function jumpingClock(start = Date.parse('2026-01-01T00:00:00Z')) {
  const slept: number[] = []
  let now = start
  const clock: Clock = {
    now: () => now,
    sleep: async (ms) => {
      slept.push(ms)
      now += ms
    },
  }
  return { clock, slept }
}

export function json(body: unknown, init: ResponseInit = {}): Response {
  const headers = { 'content-type': 'application/json', 'x-request-id': 'req-1', ...init.headers }
  return new Response(JSON.stringify(body), { ...init, headers })
}

export function saved(id = 'record-1'): Response {
  return json({ message: 'Fish saved for user Alex', id }, { status: 201 })
}

export function failure(status: number, code: string, headers: Record<string, string> = {}): Response {
  return json({ error: `It failed with ${code}.`, code, requestId: 'req-1' }, { status, headers })
}

export function tooMany(headers: Record<string, string> = {}): Response {
  return failure(429, 'rate_limited', headers)
}

export const FERNET_KEY = generateFernetKey()

/** Options of a client that can add catches, gets the scripted responses, and skips every wait. */
export function player(...steps: Step[]) {
  const { fetch, requests } = scriptedFetch(...steps)
  const { clock, slept } = jumpingClock()
  const options = { user: 'Alex', fernetKey: FERNET_KEY, gamemode: 'earth', fetch, clock, random: () => 0 } as const
  return { options: options satisfies ClientOptions, requests, slept, clock }
}
