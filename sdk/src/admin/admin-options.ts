import { CLIENT_OPTIONS, type ClientOptions, resolveOptions, VARIABLES } from '../client/core/options.ts'
import { nameIssue } from '../client/resources/target.ts'
import type { OptionNames } from '../errors/check-options.ts'
import { type Issue, ValidationError } from '../errors/fish-crab-error.ts'

/**
 * Options of {@link createAdminClient}: credentials or the token of an open session, and all options of `createClient`
 * that do not concern a player.
 */
export interface AdminClientOptions extends Omit<ClientOptions, 'user' | 'fernetKey' | 'gamemode' | 'apiKey'> {
  /** The administrator's name. Required to log in and for `keys.get`. */
  readonly username?: string | undefined
  /** The administrator's password. Required to log in and for `keys.get`. */
  readonly password?: string | undefined
  /**
   * The token of an open session, used until it expires. After that, the client logs in with `username` and `password`.
   * Without credentials, calls fail with AuthenticationError.
   */
  readonly token?: string | undefined
}

const { user: _user, fernetKey: _fernetKey, gamemode: _gamemode, apiKey: _apiKey, ...SHARED } = CLIENT_OPTIONS
const KNOWN: OptionNames<AdminClientOptions> = { username: 1, password: 1, token: 1, ...SHARED }

export interface Credentials {
  readonly username: string
  readonly password: string
}

/** Checks options. Error messages contain no option values. @throws ValidationError with every invalid option */
export function resolveAdminOptions(options: AdminClientOptions) {
  // Only `FISH_URL` applies here: the other environment variables configure a player's client.
  const variables = { baseUrl: VARIABLES.baseUrl }
  const settings = resolveOptions(options, { known: KNOWN, variables, check: () => credentialIssues(options) })
  const { username, password, token } = options
  const credentials = username === undefined || password === undefined ? undefined : { username, password }
  return { settings, credentials, token }
}

function credentialIssues({ username, password, token }: AdminClientOptions): Issue[] {
  const issues: Issue[] = []
  const [hasName, hasPassword] = [username !== undefined, password !== undefined]
  const wrongName = hasName && nameIssue(username, 'username')
  if (wrongName) issues.push(wrongName)
  if (hasPassword && (typeof password !== 'string' || password === '')) {
    issues.push({ path: 'password', message: 'Must be a string that is not empty.' })
  }
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    issues.push({ path: 'token', message: 'Must be visible ASCII characters. Copy the token alone.' })
  }
  if (hasName !== hasPassword) {
    const missing = hasName ? 'password' : 'username'
    issues.push({ path: missing, message: 'Pass username and password together.' })
  } else if (!hasName && token === undefined) {
    issues.push({ path: 'username', message: 'Missing. Pass username and password, or the token of an open session.' })
  }
  return issues
}

/** @throws ValidationError when the client has only a `token` */
export function requireCredentials(credentials: Credentials | undefined): Credentials {
  if (credentials) return credentials
  const message = 'Required here with password. The token of a session is not enough.'
  throw new ValidationError([{ path: 'username', message }])
}
