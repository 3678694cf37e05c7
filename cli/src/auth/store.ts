import type { ProfileSecrets } from './contents.ts'

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
  change(profile: string, alter: AlterSecrets): Promise<ProfileSecrets | undefined>
}

/** Makes new secrets from those that are kept, if any. */
export type AlterSecrets = (kept: ProfileSecrets | undefined) => ProfileSecrets | undefined
