import { LIMITS } from '../../contract/limits.ts'
import { type Clock, systemClock } from '../clock.ts'
import type { Settings } from '../options.ts'
import { USER_AGENT } from '../user-agent.ts'
import { createGate, type Gate } from './gate.ts'

const ENOUGH_GATES = 100

interface World {
  readonly shared: Map<string, Gate>
  readonly own: WeakMap<object, WeakMap<object, Map<string, Gate>>>
}

/*
 * The one state that clients share: the server counts all that comes from this process under one address or key, so
 * only one gate for the process can know what remains, also where the package was loaded twice, as ESM and as
 * CommonJS. Clients with a clock or a fetch of their own live in a world of their own, as tests do.
 */
const WORLD = Symbol.for(`@fish-crab/sdk/gates/${USER_AGENT}`)
const GLOBAL_FETCH = {}

function world(): World {
  const holder = globalThis as { [WORLD]?: World }
  holder[WORLD] ??= { shared: new Map(), own: new WeakMap() }
  return holder[WORLD]
}

/**
 * Finds the gate of all requests that the server counts together.
 *
 * @returns takes the name of what a request is counted by; without one it is the address, or the API key
 */
export function gatesOf({ clock, fetch, baseUrl, apiKey, random }: Settings): (scope?: string) => Gate {
  const gates = gatesIn(world(), clock, fetch)
  const { origin } = new URL(baseUrl)
  return (scope = apiKey) => {
    const name = `${origin} ${scope ?? ''}`
    const known = gates.get(name)
    if (known) return known
    if (gates.size >= ENOUGH_GATES) forgetIdle(gates)
    // A key should lift the limit, so all that is ever allowed goes at once; if it does not, the first answer tells.
    const gate = createGate(clock, random, scope !== undefined && scope === apiKey ? LIMITS.requests : 1)
    gates.set(name, gate)
    return gate
  }
}

function gatesIn({ shared, own }: World, clock: Clock, fetch: object | undefined): Map<string, Gate> {
  if (clock === systemClock && fetch === undefined) return shared
  const byFetch = own.get(clock) ?? new WeakMap<object, Map<string, Gate>>()
  own.set(clock, byFetch)
  const gates = byFetch.get(fetch ?? GLOBAL_FETCH) ?? new Map<string, Gate>()
  byFetch.set(fetch ?? GLOBAL_FETCH, gates)
  return gates
}

function forgetIdle(gates: Map<string, Gate>): void {
  for (const [name, gate] of gates) if (gate.isIdle()) gates.delete(name)
}
