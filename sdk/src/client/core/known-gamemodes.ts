import type { Gamemode } from '../../contract/gamemodes.ts'
import type { Status } from '../../contract/schemas.ts'
import type { Clock } from './timing.ts'

/** Its operator may add one, and a client may run for weeks. */
const KNOWN_FOR_MS = 300_000

/** The gamemodes of a service, while its last status is recent. */
export interface KnownGamemodes {
  /** `undefined` when they are unknown: then the service itself decides. */
  list(): readonly Gamemode[] | undefined
  /** @returns the status */
  learn<Known extends Status>(status: Known): Known
}

export function createKnownGamemodes(clock: Clock): KnownGamemodes {
  let known: readonly Gamemode[] | undefined
  let until = 0
  return {
    list: () => (clock.now() < until ? known : undefined),
    learn(status) {
      known = status.gamemodes
      until = clock.now() + KNOWN_FOR_MS
      return status
    },
  }
}
