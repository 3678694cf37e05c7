export interface SecretStore {
  readonly kind: 'keyring' | 'file'
  readonly title: string
  /** Returns the JSON value that is stored for a profile, which another program may have written. */
  get(profile: string): Promise<unknown>
  /** Updates the secrets of a profile. If `update` returns `undefined`, the secrets are removed. */
  update(profile: string, update: (stored: unknown) => ProfileSecrets | undefined): Promise<void>
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
