import { GAMEMODE_RULE, type Gamemode, isGamemode } from '../../contract/gamemodes.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isUserName, USER_NAME_RULE } from '../../contract/names.ts'
import type { OptionNames } from '../../errors/check-options.ts'
import type { Issue } from '../../errors/fish-crab-error.ts'
import type { KnownGamemodes } from '../core/known-gamemodes.ts'

/** The collection of a call. */
export interface Target {
  /** @default the client's `user` */
  readonly user?: string | undefined
  /**
   * One of the service's: those that its status listed in the last 5 minutes, if the client has asked for it; else the
   * service itself refuses others. @default the client's `gamemode`
   */
  readonly gamemode?: Gamemode | undefined
}

/** The names of the options that name a collection. */
export const TARGET: OptionNames<Target> = { user: true, gamemode: true }

/** The collection of a call, by its options or those of the client. Adds mistakes to `issues`. */
export function resolveTarget(
  call: Target,
  client: Target & { readonly knownGamemodes?: KnownGamemodes | undefined },
  issues: Issue[],
): { user: string; gamemode: Gamemode } {
  const user = call.user ?? client.user
  const gamemode = call.gamemode ?? client.gamemode
  if (user === undefined) {
    issues.push({ path: 'user', message: 'Missing. Pass user to the call or to createClient.' })
  } else if (!isUserName(user)) {
    const message = `Must be ${USER_NAME_RULE}.`
    issues.push({ path: 'user', message })
  }
  if (gamemode === undefined) {
    issues.push({ path: 'gamemode', message: 'Missing. Pass gamemode to the call or to createClient.' })
  } else {
    const wrong = gamemodeIssue(gamemode, 'gamemode', client.knownGamemodes)
    if (wrong) issues.push(wrong)
  }
  return { user: user ?? '', gamemode: gamemode ?? '' }
}

// Each check returns the mistake in a value, if there is one. Messages contain no values: one may be a secret.

export function gamemodeIssue(value: unknown, path = 'gamemode', known?: KnownGamemodes): Issue | undefined {
  const gamemodes: readonly unknown[] | undefined = known?.list()
  if (gamemodes?.includes(value) ?? isGamemode(value)) return undefined
  return { path, message: `Must be ${gamemodes?.join(' or ') ?? GAMEMODE_RULE}.` }
}

export function limitIssue(value: unknown, largest: number = LIMITS.pageSize): Issue | undefined {
  if (value === undefined || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= largest))
    return undefined
  return { path: 'limit', message: `Must be a whole number from 1 to ${largest}.` }
}

export function idIssue(value: unknown): Issue | undefined {
  if (typeof value === 'string' && value !== '' && !isDots(value)) return undefined
  return { path: 'id', message: 'Must be the id of a record, as in a list.' }
}

/** An address with such a part is another address (RFC 3986, 5.2.4). */
export function isDots(text: string): boolean {
  return text === '.' || text === '..'
}
