import { LIMITS } from '../../contract/limits.ts'
import { type Settings, USER_AGENT } from '../core/options.ts'
import { type Clock, systemClock } from '../core/timing.ts'
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts'

const MAX_LIMITERS = 100

type Limiters = Map<string, RateLimiter>

/*
 * The only state that clients share. The server counts all requests of this process by address or key. All clients
 * therefore have to share one limiter per address or key, even if the package is loaded twice, as ESM and as CommonJS.
 * Clients with their own clock or fetch, as in tests, have their own limiters.
 */
const REGISTRY = Symbol.for(`@fish-crab/sdk/limiters/${USER_AGENT}`)

/**
 * Returns the limiter of requests that the server counts together: by default by address or API key, otherwise by
 * `scope`.
 */
export function rateLimiterFinder({
  clock,
  fetch,
  baseUrl,
  apiKey,
  random,
}: Settings): (scope?: string) => RateLimiter {
  const limiters = limitersOf(clock, fetch)
  const { origin } = new URL(baseUrl)
  return (scope = apiKey) => {
    const name = `${origin} ${scope ?? ''}`
    const known = limiters.get(name)
    if (known) return known
    if (limiters.size >= MAX_LIMITERS) evictIdle(limiters)
    // A valid key lifts the limit, so requests need not wait for a probe. If the key is invalid, the first response
    // shows the limit.
    const limiter = createRateLimiter(clock, random, scope !== undefined && scope === apiKey ? LIMITS.requests : 1)
    limiters.set(name, limiter)
    return limiter
  }
}

function limitersOf(clock: Clock, fetch: object = globalThis): Limiters {
  const holder = globalThis as { [REGISTRY]?: WeakMap<object, WeakMap<object, Limiters>> }
  holder[REGISTRY] ??= new WeakMap()
  const owner = clock === systemClock ? globalThis : clock
  const byFetch = holder[REGISTRY].get(owner) ?? new WeakMap<object, Limiters>()
  holder[REGISTRY].set(owner, byFetch)
  const limiters = byFetch.get(fetch) ?? new Map<string, RateLimiter>()
  byFetch.set(fetch, limiters)
  return limiters
}

function evictIdle(limiters: Limiters): void {
  for (const [name, limiter] of limiters) if (limiter.isIdle()) limiters.delete(name)
}
