import { GAMEMODE_RULE, GAMEMODES, type Gamemode, isGamemode } from '../../contract/gamemodes.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isUserName, USER_NAME_RULE } from '../../contract/names.ts'
import type { OptionNames } from '../../errors/check-options.ts'
import type { Issue } from '../../errors/fish-crab-error.ts'
import type { KnownGamemodes } from '../core/options.ts'

/** The collection that a call uses. */
export interface Target {
  /** @default the client's `user` */
  readonly user?: string | undefined
  /**
   * A gamemode of the service. The client rejects unknown gamemodes if it has read the status in the last 5 minutes;
   * otherwise, only the service checks the gamemode. @default the client's `gamemode`
   */
  readonly gamemode?: Gamemode | undefined
}

/** The names of the options that name a collection. */
export const TARGET: OptionNames<Target> = { user: 1, gamemode: 1 }

/** Returns the user and gamemode of a call, which default to the client's, and the issues with these options. */
export function resolveTarget(
  call: Target,
  client: Target & { readonly knownGamemodes?: KnownGamemodes | undefined },
): { user: string; gamemode: Gamemode; issues: Issue[] } {
  const { gamemode = client.gamemode } = call
  const { user, issue } = resolveUser(call, client)
  const issues = [
    issue,
    gamemode === undefined
      ? missingGamemode(client.knownGamemodes)
      : gamemodeIssue(gamemode, 'gamemode', client.knownGamemodes),
  ]
  return { user, gamemode: gamemode ?? '', issues: issues.filter((each) => each !== undefined) }
}

/** Returns the user of a call, who defaults to the client's user, and the issue with this option. */
export function resolveUser(
  call: Pick<Target, 'user'>,
  client: Pick<Target, 'user'>,
): { user: string; issue: Issue | undefined } {
  const { user = client.user } = call
  return { user: user ?? '', issue: user === undefined ? MISSING_USER : userIssue(user) }
}

const MISSING_USER: Issue = { path: 'user', message: 'Missing. Pass user, or set FISH_USER.' }

function missingGamemode(known?: KnownGamemodes): Issue {
  const gamemodes = known?.list() ?? GAMEMODES
  return { path: 'gamemode', message: `Missing. Pass gamemode, or set FISH_GAMEMODE: ${gamemodes.join(', ')}.` }
}

// Each check returns an issue for an invalid value, and `undefined` for a valid value. Error messages contain no
// values, since a value may be a secret.

function userIssue(value: string): Issue | undefined {
  return isUserName(value) ? undefined : { path: 'user', message: `Must be ${USER_NAME_RULE}.` }
}

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

/** URL parsers remove path segments `.` and `..`, which would change the path (RFC 3986, 5.2.4). */
function isDots(text: string): boolean {
  return text === '.' || text === '..'
}

/** The issue with the name of a new user. */
export function nameIssue(value: unknown, path = 'name'): Issue | undefined {
  if (typeof value === 'string' && isUserName(value) && !isDots(value)) return undefined
  return { path, message: `Must be ${USER_NAME_RULE}, not "." or "..".` }
}
