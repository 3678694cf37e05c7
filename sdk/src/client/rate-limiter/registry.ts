import { LIMITS } from '../../contract/limits.ts'
import { type Settings, USER_AGENT } from '../core/options.ts'
import { type Clock, systemClock } from '../core/timing.ts'
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts'

const MAX_LIMITERS = 100

interface Registry {
  readonly shared: Map<string, RateLimiter>
  readonly own: WeakMap<object, WeakMap<object, Map<string, RateLimiter>>>
}

/*
 * The only state that clients share. The server counts all requests of this process under one address or key, so one
 * limiter per process has to know what remains, even if the package is loaded twice, as ESM and as CommonJS. Clients
 * with their own clock or fetch, as in tests, have their own limiters.
 */
const REGISTRY = Symbol.for(`@fish-crab/sdk/limiters/${USER_AGENT}`)
const GLOBAL_FETCH = {}

function registry(): Registry {
  const holder = globalThis as { [REGISTRY]?: Registry }
  holder[REGISTRY] ??= { shared: new Map(), own: new WeakMap() }
  return holder[REGISTRY]
}

/**
 * Returns the limiter of requests that the server counts together: by default under the address or the API key, else
 * under `scope`.
 */
export function rateLimiterFinder({
  clock,
  fetch,
  baseUrl,
  apiKey,
  random,
}: Settings): (scope?: string) => RateLimiter {
  const limiters = limitersIn(registry(), clock, fetch)
  const { origin } = new URL(baseUrl)
  return (scope = apiKey) => {
    const name = `${origin} ${scope ?? ''}`
    const known = limiters.get(name)
    if (known) return known
    if (limiters.size >= MAX_LIMITERS) evictIdle(limiters)
    // A valid key lifts the limit, so requests are not held back; if it does not, the first response shows that.
    const limiter = createRateLimiter(clock, random, scope !== undefined && scope === apiKey ? LIMITS.requests : 1)
    limiters.set(name, limiter)
    return limiter
  }
}

function limitersIn({ shared, own }: Registry, clock: Clock, fetch: object = GLOBAL_FETCH): Map<string, RateLimiter> {
  if (clock === systemClock && fetch === GLOBAL_FETCH) return shared
  const byFetch = own.get(clock) ?? new WeakMap<object, Map<string, RateLimiter>>()
  own.set(clock, byFetch)
  const limiters = byFetch.get(fetch) ?? new Map<string, RateLimiter>()
  byFetch.set(fetch, limiters)
  return limiters
}

function evictIdle(limiters: Map<string, RateLimiter>): void {
  for (const [name, limiter] of limiters) if (limiter.isIdle()) limiters.delete(name)
}
