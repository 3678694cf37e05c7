export interface SecretStore {
  readonly kind: 'keyring' | 'file'
  readonly title: string
  get(profile: string): Promise<ProfileSecrets | undefined>
  /** Updates the secrets of a profile. If `update` returns `undefined`, the secrets are removed. */
  update(profile: string, update: UpdateSecrets): Promise<void>
}

export type UpdateSecrets = (stored: ProfileSecrets | undefined) => ProfileSecrets | undefined

/** The names of the fields must not change, because sessions are stored with these names. */
export interface AdminSession {
  readonly username: string
  readonly token: string
  /** ISO 8601, by the clock of the server. */
  readonly expiresAt: string
}

/** The stored secrets of a profile. Passwords are never stored. */
export interface ProfileSecrets {
  /** The service that issued the secrets. The secrets are never sent to another service. */
  readonly url: string
  readonly user?: string | undefined
  readonly fernetKey?: string | undefined
  readonly apiKey?: string | undefined
  readonly session?: AdminSession | undefined
}

/** Returns `undefined` for data that this program did not write. */
export function parseSecrets(value: unknown): ProfileSecrets | undefined {
  const { url, user = '', fernetKey = '', apiKey = '', session } = Object(value)
  const { username, token, expiresAt } = session === undefined ? NO_SESSION : Object(session)
  const texts = [url, user, fernetKey, apiKey, username, token, expiresAt]
  return texts.every((text) => typeof text === 'string') ? (value as ProfileSecrets) : undefined
}

const NO_SESSION: AdminSession = { username: '', token: '', expiresAt: '' }
