import { userNameKey } from '@fish-crab/sdk/constants'
import { isSameService } from '../config/profile.ts'

/** A store of secrets. */
export interface SecretStore {
  readonly kind: 'keyring' | 'file'
  /** Its name in messages. */
  readonly title: string
  get(profile: string): Promise<ProfileSecrets | undefined>
  /** Updates the secrets of a profile and returns the new ones. `undefined` removes them. */
  update(profile: string, update: UpdateSecrets): Promise<ProfileSecrets | undefined>
}

/** Computes new secrets from the stored ones. */
export type UpdateSecrets = (stored: ProfileSecrets | undefined) => ProfileSecrets | undefined

/** A session of an administrator. The names of its fields are fixed: it is stored. */
export interface AdminSession {
  readonly username: string
  readonly token: string
  /** ISO 8601, by the clock of the server. */
  readonly expiresAt: string
}

/** The secrets of a profile. Passwords are never stored. */
export interface ProfileSecrets {
  /** The service they belong to. They are never sent to another. */
  readonly url: string
  /** The player they belong to. */
  readonly user?: string | undefined
  readonly fernetKey?: string | undefined
  readonly apiKey?: string | undefined
  readonly session?: AdminSession | undefined
}

export function hasSecrets({ fernetKey, apiKey, session }: ProfileSecrets): boolean {
  return fernetKey !== undefined || apiKey !== undefined || session !== undefined
}

/** Validates stored secrets; `undefined` for anything that this program did not write. */
export function parseSecrets(value: unknown): ProfileSecrets | undefined {
  const { url, user = '', fernetKey = '', apiKey = '', session } = Object(value)
  const { username, token, expiresAt } = session === undefined ? NO_SESSION : Object(session)
  const texts = [url, user, fernetKey, apiKey, username, token, expiresAt]
  return texts.every((text) => typeof text === 'string') ? (value as ProfileSecrets) : undefined
}

const NO_SESSION: AdminSession = { username: '', token: '', expiresAt: '' }

/**
 * Merges the secrets of a login into the stored ones. Secrets that the login did not fetch stay if they belong to the same
 * service and player.
 */
export function mergeLogin(stored: ProfileSecrets | undefined, fetched: ProfileSecrets): ProfileSecrets {
  if (!stored || !isSameService(stored.url, fetched.url)) return fetched
  const { user, fernetKey, apiKey, session } = stored
  const isOther = fetched.user !== undefined && (user === undefined || userNameKey(user) !== userNameKey(fetched.user))
  const own = isOther ? {} : { user, fernetKey, apiKey }
  return { session, ...own, ...fetched }
}
