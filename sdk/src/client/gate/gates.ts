import { LIMITS } from '../../contract/limits.ts'
import type { Clock } from '../clock.ts'
import type { Settings } from '../options.ts'
import { createGate, type Gate } from './gate.ts'

const ENOUGH_GATES = 100

/*
 * The one state that clients share: the server counts all that comes from this process under one address or key, so
 * only one gate for the process can know what remains. Clients with a clock or a fetch of their own live in a world of
 * their own, as tests do.
 */
const worlds = new WeakMap<Clock, WeakMap<object, Map<string, Gate>>>()
const GLOBAL_FETCH = {}

/**
 * Finds the gate of all requests that the server counts together.
 *
 * @returns takes the name of what a request is counted by; without one it is the address, or the API key
 */
export function gatesOf({ clock, fetch, baseUrl, apiKey, random }: Settings): (scope?: string) => Gate {
  const gates = worldOf(clock, fetch ?? GLOBAL_FETCH)
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

function worldOf(clock: Clock, fetch: object): Map<string, Gate> {
  const byFetch = worlds.get(clock) ?? new WeakMap<object, Map<string, Gate>>()
  worlds.set(clock, byFetch)
  const gates = byFetch.get(fetch) ?? new Map<string, Gate>()
  byFetch.set(fetch, gates)
  return gates
}

function forgetIdle(gates: Map<string, Gate>): void {
  for (const [name, gate] of gates) if (gate.isIdle()) gates.delete(name)
}
