import type { User } from '@fish-crab/sdk/contract'
import { createFernet, type Fernet, generateFernetKey } from '@fish-crab/sdk/fernet'
import type { FishStorage } from '../../storage/types.ts'
import { boundedCache } from '../bounded-cache.ts'
import { Failure } from '../http/failure.ts'
import { type RandomSource, randomText } from '../ids.ts'
import type { PasswordHasher } from '../options.ts'
import type { StoreIdentity } from '../store-identity.ts'
import { createApiKeys } from './api-keys.ts'
import { replaceSecret } from './replace-secret.ts'
import { secretKey } from './secret-keys.ts'
import type { Vault } from './vault.ts'

/** The three secrets of a user, in plain. */
export interface PlainSecrets {
  readonly password: string
  readonly fernetKey: string
  readonly apiKey: string
}

/** What can be asked of a user's secrets, and how each is replaced. */
export interface UserSecrets {
  /** The stored hash of the user's password; `undefined` when the user is being deleted. */
  passwordHash(user: User): Promise<string | undefined>
  fernetKey(user: User): Promise<string>
  /** The user's Fernet, ready to decrypt. */
  fernet(user: User): Promise<Fernet>
  resetPassword(user: User): Promise<string>
  resetFernetKey(user: User): Promise<string>
  resetApiKey(user: User): Promise<string>
}

/** The secrets of users as the directory of users keeps them. */
export interface SecretStore {
  readonly secrets: UserSecrets
  /** Secrets for a new user: those given, and made ones for the others. */
  complete(given: { readonly [Name in keyof PlainSecrets]?: string | undefined }): PlainSecrets
  set(user: User, secrets: PlainSecrets): Promise<void>
  remove(user: User): Promise<void>
  /** The name of the user this API key was last given to. */
  nameByApiKey(apiKey: string): Promise<string | undefined>
  /** Whether this is the user's API key now. */
  hasApiKey(user: User, apiKey: string): Promise<boolean>
}

/** What {@link createSecretStore} builds on. */
export interface SecretStoreContext {
  readonly storage: FishStorage
  readonly identity: StoreIdentity
  readonly vault: Vault
  readonly passwords: Pick<PasswordHasher, 'hash'>
  readonly random: RandomSource
}

const API_KEY_PREFIX = 'fck_'
const API_KEY_LENGTH = 40
const PASSWORD_LENGTH = 20
const CACHED_KEYS = 10_000

/**
 * Each secret of a user is an item of its own under the user's id: two resets at once cannot undo each other, and
 * what is left of a deleted user is reachable by no name. The cache below holds what is a pure function of stored
 * bytes, keyed by those bytes and their owner: it cannot be stale, and opens for nobody else.
 */
export function createSecretStore({ storage, identity, vault, passwords, random }: SecretStoreContext): SecretStore {
  const { items } = storage
  const fernets = boundedCache<string, Fernet>(CACHED_KEYS)
  const apiKeys = createApiKeys(storage)
  const newPassword = () => randomText(PASSWORD_LENGTH, random)
  const newApiKey = () => `${API_KEY_PREFIX}${randomText(API_KEY_LENGTH, random)}`

  /** A reset of what is gone is one of a user that was deleted, unless the store is another one. */
  async function gone(): Promise<never> {
    await identity.verify()
    throw new Failure('user_not_found')
  }

  /** Replaces what is there, and makes nothing where nothing is: the deletion of a user may be under way. */
  async function reset({ id }: User, secret: 'password' | 'fernet', stored: string): Promise<void> {
    await identity.verify()
    if (!(await replaceSecret(storage, secretKey(id, secret), () => stored))) await gone()
  }

  async function sealedFernetKey({ id }: User): Promise<string> {
    const sealed = await items.getItem(secretKey(id, 'fernet'))
    return sealed ?? gone()
  }

  return {
    complete: ({ password = newPassword(), fernetKey = generateFernetKey(random), apiKey = newApiKey() }) => ({
      password,
      fernetKey,
      apiKey,
    }),

    async set(user, { password, fernetKey, apiKey }) {
      // Before anything is written: under many logins the hash is refused.
      const hash = await passwords.hash(password)
      await Promise.all([
        items.setItem(secretKey(user.id, 'password'), hash),
        vault.seal(fernetKey, user.id).then((sealed) => items.setItem(secretKey(user.id, 'fernet'), sealed)),
        apiKeys.set(user, apiKey),
      ])
    },

    async remove({ id }) {
      await apiKeys.remove(id)
      await Promise.all((['password', 'fernet'] as const).map((secret) => items.removeItem(secretKey(id, secret))))
    },

    nameByApiKey: apiKeys.nameOf,
    hasApiKey: apiKeys.belongsTo,

    secrets: {
      async passwordHash({ id }) {
        return (await items.getItem(secretKey(id, 'password'))) ?? undefined
      },

      async fernetKey(user) {
        return vault.open(await sealedFernetKey(user), user.id)
      },

      async fernet(user) {
        const sealed = await sealedFernetKey(user)
        const cacheKey = `${user.id} ${sealed}`
        const cached = fernets.get(cacheKey)
        if (cached) return cached
        const fernet = createFernet(await vault.open(sealed, user.id))
        fernets.set(cacheKey, fernet)
        return fernet
      },

      async resetPassword(user) {
        const password = newPassword()
        await reset(user, 'password', await passwords.hash(password))
        return password
      },

      async resetFernetKey(user) {
        const fernetKey = generateFernetKey(random)
        await reset(user, 'fernet', await vault.seal(fernetKey, user.id))
        return fernetKey
      },

      async resetApiKey(user) {
        await identity.verify()
        const apiKey = newApiKey()
        if (!(await apiKeys.replace(user, apiKey))) await gone()
        return apiKey
      },
    },
  }
}
