import { userNameKey } from '@fish-crab/sdk/constants'
import { isSameService } from '../config/profile.ts'

/** Where secrets are kept. */
export interface SecretStore {
  readonly kind: 'keyring' | 'file'
  /** What it is, for people. */
  readonly title: string
  /** The secrets of a profile, if it has some. */
  get(profile: string): Promise<ProfileSecrets | undefined>
  /**
   * Replaces the secrets of a profile by what `alter` makes of them, at once; answers the new ones. A profile that comes
   * to have none is forgotten.
   */
  update(profile: string, alter: UpdateSecrets): Promise<ProfileSecrets | undefined>
}

/** Makes new secrets from those that are kept, if any. */
export type UpdateSecrets = (kept: ProfileSecrets | undefined) => ProfileSecrets | undefined

/** A session of an administrator. */
export interface AdminSession {
  readonly username: string
  readonly token: string
  /** ISO 8601, by the server's clock. */
  readonly expiresAt: string
}

/** The secrets of one profile. Passwords are not among them. */
export interface ProfileSecrets {
  /** The service that these belong to: they are sent to no other. */
  readonly url: string
  /** The player that these belong to. */
  readonly user?: string | undefined
  readonly fernetKey?: string | undefined
  readonly apiKey?: string | undefined
  readonly session?: AdminSession | undefined
}

/** Whether there is a secret among them. */
export function hasSecrets({ fernetKey, apiKey, session }: ProfileSecrets): boolean {
  return fernetKey !== undefined || apiKey !== undefined || session !== undefined
}

/** Reads what a store kept; `undefined` for what this program did not write. */
export function parseSecrets(value: unknown): ProfileSecrets | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { url, user, fernetKey, apiKey, session } = value as Partial<Record<keyof ProfileSecrets, unknown>>
  const texts = [user, fernetKey, apiKey].every((text) => text === undefined || typeof text === 'string')
  if (typeof url !== 'string' || !texts || !(session === undefined || isSession(session))) return undefined
  return value as ProfileSecrets
}

function isSession(value: unknown): value is AdminSession {
  if (typeof value !== 'object' || value === null) return false
  const { username, token, expiresAt } = value as Partial<Record<keyof AdminSession, unknown>>
  return [username, token, expiresAt].every((text) => typeof text === 'string')
}

/**
 * Secrets after a login. What the login did not bring stays, as far as it belongs to the same service and the same
 * player.
 */
export function mergeLogin(kept: ProfileSecrets | undefined, brought: ProfileSecrets): ProfileSecrets {
  if (!kept || !isSameService(kept.url, brought.url)) return brought
  const { user, fernetKey, apiKey, session } = kept
  const isOther = brought.user !== undefined && (user === undefined || userNameKey(user) !== userNameKey(brought.user))
  const own = isOther ? {} : { user, fernetKey, apiKey }
  return { session, ...own, ...brought }
}
