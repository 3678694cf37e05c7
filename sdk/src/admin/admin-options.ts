import {
  CLIENT_OPTIONS,
  type ClientOptions,
  readOptions,
  type Settings,
  withEnvironment,
} from '../client/core/options.ts'
import { type OptionNames, requireOptions } from '../errors/check-options.ts'
import { type Issue, ValidationError } from '../errors/fish-crab-error.ts'
import { nameIssue } from './checks.ts'

/**
 * What {@link createAdminClient} takes: who logs in, or a session that is open already, and what `createClient` takes
 * besides the player's own options.
 */
export interface AdminClientOptions extends Omit<ClientOptions, 'user' | 'fernetKey' | 'gamemode' | 'apiKey'> {
  /** The administrator's name. Needed to log in and for `keys.get`. */
  readonly username?: string | undefined
  /** The administrator's password. Needed to log in and for `keys.get`. */
  readonly password?: string | undefined
  /**
   * A session's token from elsewhere, used until the server takes it for over. With `username` and `password` another
   * session is opened then; without, calls fail with AuthenticationError.
   */
  readonly token?: string | undefined
}

const { user: _user, fernetKey: _fernetKey, gamemode: _gamemode, apiKey: _apiKey, ...SHARED } = CLIENT_OPTIONS
const KNOWN: OptionNames<AdminClientOptions> = { username: true, password: true, token: true, ...SHARED }

/** A name and its password. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

/** Options that were checked. */
export interface AdminSettings {
  readonly settings: Settings
  readonly credentials: Credentials | undefined
  readonly token: string | undefined
}

/** Checks options. No value stands in a message. @throws ValidationError that names every wrong option */
export function readAdminOptions(options: AdminClientOptions): AdminSettings {
  requireOptions(options, KNOWN)
  const { username, password, token } = options
  const issues: Issue[] = []
  const settings = readSettings(options, issues)
  const [hasName, hasPassword] = [username !== undefined, password !== undefined]
  const wrongName = hasName && nameIssue(username, 'username')
  if (wrongName) issues.push(wrongName)
  if (hasPassword && (typeof password !== 'string' || password === '')) {
    issues.push({ path: 'password', message: 'Must be text that is not empty.' })
  }
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    issues.push({ path: 'token', message: 'Must be visible ASCII characters; copy the token alone.' })
  }
  if (hasName !== hasPassword) {
    const missing = hasName ? 'password' : 'username'
    issues.push({ path: missing, message: 'Give username and password together.' })
  } else if (!hasName && token === undefined) {
    issues.push({ path: 'username', message: 'Give username and password, or the token of an open session.' })
  }
  if (issues.length > 0 || !settings) throw new ValidationError(issues)
  const credentials = username === undefined || password === undefined ? undefined : { username, password }
  return { settings, credentials, token }
}

/** What a client has besides credentials. */
function readSettings(options: ClientOptions, issues: Issue[]): Settings | undefined {
  try {
    // The rest of the environment is about a player.
    const { baseUrl } = withEnvironment(options)
    return { ...readOptions({ ...options, baseUrl, env: {} }, KNOWN), env: options.env }
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    issues.push(...error.issues)
    return undefined
  }
}

/** The credentials of a client that has some. @throws ValidationError when it has a `token` alone */
export function requireCredentials(credentials: Credentials | undefined): Credentials {
  if (credentials) return credentials
  const message = 'Needed here, with password: the token of a session is not enough.'
  throw new ValidationError([{ path: 'username', message }])
}
