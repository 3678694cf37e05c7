import type { User } from '@fish-crab/sdk/contract'
import { createFernet, type Fernet, generateFernetKey } from '@fish-crab/sdk/fernet'
import type { FishStorage } from '../../storage/types.ts'
import { sha256Hex } from '../core/bytes.ts'
import { createLruCache } from '../core/cache.ts'
import type { PasswordHasher } from '../core/host.ts'
import { type RandomSource, randomText } from '../core/ids.ts'
import { HttpError } from '../http/http-error.ts'
import { apiKeyOwnerKey, secretKey } from '../store/item-keys.ts'
import type { StoreId } from '../store/store-id.ts'
import type { Encryption } from './encryption.ts'

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
interface SecretStore {
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
export interface SecretStoreOptions {
  readonly storage: FishStorage
  readonly storeId: StoreId
  readonly encryption: Encryption
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
export function createSecretStore({
  storage,
  storeId,
  encryption,
  passwords,
  random,
}: SecretStoreOptions): SecretStore {
  const { items } = storage
  const fernets = createLruCache<string, Fernet>(CACHED_KEYS)
  const apiKeys = createApiKeys(storage)
  const newPassword = () => randomText(PASSWORD_LENGTH, random)
  const newApiKey = () => `${API_KEY_PREFIX}${randomText(API_KEY_LENGTH, random)}`

  /** A reset of what is gone is one of a user that was deleted, unless the store is another one. */
  async function gone(): Promise<never> {
    await storeId.verify()
    throw new HttpError('user_not_found')
  }

  /** Replaces what is there, and makes nothing where nothing is: the deletion of a user may be under way. */
  async function reset({ id }: User, secret: 'password' | 'fernet', stored: string): Promise<void> {
    await storeId.verify()
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
        encryption.encrypt(fernetKey, user.id).then((sealed) => items.setItem(secretKey(user.id, 'fernet'), sealed)),
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
        return encryption.decrypt(await sealedFernetKey(user), user.id)
      },

      async fernet(user) {
        const sealed = await sealedFernetKey(user)
        const cacheKey = `${user.id} ${sealed}`
        const cached = fernets.get(cacheKey)
        if (cached) return cached
        const fernet = createFernet(await encryption.decrypt(sealed, user.id))
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
        await reset(user, 'fernet', await encryption.encrypt(fernetKey, user.id))
        return fernetKey
      },

      async resetApiKey(user) {
        await storeId.verify()
        const apiKey = newApiKey()
        if (!(await apiKeys.replace(user, apiKey))) await gone()
        return apiKey
      },
    },
  }
}

/** The API keys of users, each an item of the user and one that leads from the key to the user. */
interface ApiKeys {
  /** Gives a key to a new user. */
  set(user: User, apiKey: string): Promise<void>
  /** Replaces the key of a user; `false`, and nothing is left of it, when the user has none: it was deleted. */
  replace(user: User, apiKey: string): Promise<boolean>
  /** Removes the key of the user with this id. */
  remove(id: string): Promise<void>
  /** The name of the user this key was last given to. */
  nameOf(apiKey: string): Promise<string | undefined>
  /** Whether this is the user's key now. */
  belongsTo(user: User, apiKey: string): Promise<boolean>
}

const SEPARATOR = ' '

/**
 * Keeps keys as their hashes. What leads to a user is named in the user's item before it is written, and longer than it
 * is there: the item holds several hashes while a key is being replaced, and after a crash on the way. So whoever
 * replaces or removes the key later finds all that there is to take away.
 */
function createApiKeys(storage: FishStorage): ApiKeys {
  const { items } = storage
  const ownKey = (id: string) => secretKey(id, 'api-key')
  const removeLeads = (hashes: readonly string[]) =>
    Promise.all(hashes.map((hash) => items.removeItem(apiKeyOwnerKey(hash))))

  return {
    async set({ id, name }, apiKey) {
      const hash = await sha256Hex(apiKey)
      await items.setItem(ownKey(id), hash)
      await items.setItem(apiKeyOwnerKey(hash), name)
    },

    async replace({ id, name }, apiKey) {
      const hash = await sha256Hex(apiKey)
      if ((await replaceSecret(storage, ownKey(id), (hashes) => hashes + SEPARATOR + hash)) === undefined) return false
      await items.setItem(apiKeyOwnerKey(hash), name)
      while (true) {
        const kept = await items.getItem(ownKey(id))
        const hashes = kept === null ? [] : kept.split(SEPARATOR)
        const at = hashes.indexOf(hash)
        // Deleted meanwhile, or replaced again: whoever did so may have come before the lead was there.
        if (kept === null || at < 0) {
          await removeLeads([hash])
          return kept !== null
        }
        await removeLeads(hashes.slice(0, at))
        if (await storage.replaceItemIf(ownKey(id), kept, hashes.slice(at).join(SEPARATOR))) return true
      }
    },

    async remove(id) {
      while (true) {
        const kept = await items.getItem(ownKey(id))
        if (kept === null) return
        await removeLeads(kept.split(SEPARATOR))
        if (await storage.removeItemIf(ownKey(id), kept)) return
      }
    },

    async nameOf(apiKey) {
      return (await items.getItem(apiKeyOwnerKey(await sha256Hex(apiKey)))) ?? undefined
    },

    async belongsTo({ id }, apiKey) {
      const kept = (await items.getItem(ownKey(id))) ?? ''
      return kept.split(SEPARATOR).includes(await sha256Hex(apiKey))
    },
  }
}

/**
 * Replaces an item by what is made of its value, again when somebody else was quicker.
 * @returns what it was; `undefined` when there is no item, and none is made
 */
async function replaceSecret(
  storage: FishStorage,
  key: string,
  next: (value: string) => string,
): Promise<string | undefined> {
  while (true) {
    const value = await storage.items.getItem(key)
    if (value === null) return undefined
    if (await storage.replaceItemIf(key, value, next(value))) return value
  }
}
