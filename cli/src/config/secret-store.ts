import { userNameKey } from '@fish-crab/sdk/constants'
import { isSameService } from './profile.ts'

export interface SecretStore {
  readonly kind: 'keyring' | 'file'
  readonly title: string
  get(profile: string): Promise<ProfileSecrets | undefined>
  /** An `update` that returns `undefined` removes the secrets. */
  update(profile: string, update: UpdateSecrets): Promise<void>
}

export type UpdateSecrets = (stored: ProfileSecrets | undefined) => ProfileSecrets | undefined

/** The session is stored, so the names of the fields are fixed. */
export interface AdminSession {
  readonly username: string
  readonly token: string
  /** ISO 8601, by the clock of the server. */
  readonly expiresAt: string
}

/** Passwords are never stored. */
export interface ProfileSecrets {
  /** The service of the secrets. The secrets are never sent to another service. */
  readonly url: string
  readonly user?: string | undefined
  readonly fernetKey?: string | undefined
  readonly apiKey?: string | undefined
  readonly session?: AdminSession | undefined
}

export function hasSecrets({ fernetKey, apiKey, session }: ProfileSecrets): boolean {
  return fernetKey !== undefined || apiKey !== undefined || session !== undefined
}

/** Returns `undefined` for data that this program did not write. */
export function parseSecrets(value: unknown): ProfileSecrets | undefined {
  const { url, user = '', fernetKey = '', apiKey = '', session } = Object(value)
  const { username, token, expiresAt } = session === undefined ? NO_SESSION : Object(session)
  const texts = [url, user, fernetKey, apiKey, username, token, expiresAt]
  return texts.every((text) => typeof text === 'string') ? (value as ProfileSecrets) : undefined
}

const NO_SESSION: AdminSession = { username: '', token: '', expiresAt: '' }

/** Secrets that the login did not fetch stay if they belong to the same service and player. */
export function mergeLogin(stored: ProfileSecrets | undefined, fetched: ProfileSecrets): ProfileSecrets {
  if (!stored || !isSameService(stored.url, fetched.url)) return fetched
  const { user, fernetKey, apiKey, session } = stored
  const isOther = fetched.user !== undefined && (user === undefined || userNameKey(user) !== userNameKey(fetched.user))
  const own = isOther ? {} : { user, fernetKey, apiKey }
  return { session, ...own, ...fetched }
}
