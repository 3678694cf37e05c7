import type { User } from '@fish-crab/sdk/contract'
import { createFernet, type Fernet, generateFernetKey } from '@fish-crab/sdk/fernet'
import { itemKey } from '../../storage/keys.ts'
import type { FishStorage } from '../../storage/types.ts'
import { Failure } from '../http/failure.ts'
import { type RandomSource, randomText } from '../ids.ts'
import type { PasswordHasher } from '../options.ts'
import type { StoreIdentity } from '../store-identity.ts'
import { boundedCache } from './cache.ts'
import { sha256Hex } from './digest.ts'
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
  verifyPassword(user: User, password: string): Promise<boolean>
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
  readonly passwords: PasswordHasher
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
  const apiKeyIndex = (hash: string) => itemKey('api-key', hash)
  const newPassword = () => randomText(PASSWORD_LENGTH, random)
  const newApiKey = () => `${API_KEY_PREFIX}${randomText(API_KEY_LENGTH, random)}`

  const setPassword = async ({ id }: User, password: string) =>
    items.setItem(secretKey(id, 'password'), await passwords.hash(password))
  const setFernetKey = async ({ id }: User, fernetKey: string) =>
    items.setItem(secretKey(id, 'fernet'), await vault.seal(fernetKey, id))

  async function setApiKey({ id, name }: User, apiKey: string): Promise<void> {
    const hash = await sha256Hex(apiKey)
    await items.setItem(apiKeyIndex(hash), name)
    await items.setItem(secretKey(id, 'api-key'), hash)
  }

  async function sealedFernetKey({ id }: User): Promise<string> {
    const sealed = await items.getItem(secretKey(id, 'fernet'))
    if (sealed !== null) return sealed
    await identity.verify()
    throw new Failure('user_not_found')
  }

  return {
    complete: ({ password = newPassword(), fernetKey = generateFernetKey(random), apiKey = newApiKey() }) => ({
      password,
      fernetKey,
      apiKey,
    }),

    async set(user, { password, fernetKey, apiKey }) {
      await Promise.all([setPassword(user, password), setFernetKey(user, fernetKey), setApiKey(user, apiKey)])
    },

    async remove({ id }) {
      const hash = await items.getItem(secretKey(id, 'api-key'))
      if (hash !== null) await items.removeItem(apiKeyIndex(hash))
      const secrets = ['password', 'fernet', 'api-key'] as const
      await Promise.all(secrets.map((secret) => items.removeItem(secretKey(id, secret))))
    },

    async nameByApiKey(apiKey) {
      return (await items.getItem(apiKeyIndex(await sha256Hex(apiKey)))) ?? undefined
    },

    async hasApiKey({ id }, apiKey) {
      return (await items.getItem(secretKey(id, 'api-key'))) === (await sha256Hex(apiKey))
    },

    secrets: {
      async verifyPassword({ id }, password) {
        const hash = await items.getItem(secretKey(id, 'password'))
        return hash !== null && passwords.verify(password, hash)
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
        await identity.verify()
        const password = newPassword()
        await setPassword(user, password)
        return password
      },

      async resetFernetKey(user) {
        await identity.verify()
        const fernetKey = generateFernetKey(random)
        await setFernetKey(user, fernetKey)
        return fernetKey
      },

      async resetApiKey(user) {
        await identity.verify()
        const apiKey = newApiKey()
        const old = await items.getItem(secretKey(user.id, 'api-key'))
        await setApiKey(user, apiKey)
        if (old !== null) await items.removeItem(apiKeyIndex(old))
        return apiKey
      },
    },
  }
}
