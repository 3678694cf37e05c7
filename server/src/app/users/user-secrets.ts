import type { User } from '@fish-crab/sdk/contract'
import { createFernet, type Fernet, generateFernetKey } from '@fish-crab/sdk/fernet'
import type { FishStorage } from '../../storage/core/types.ts'
import { sha256Hex } from '../core/bytes.ts'
import { createLruCache } from '../core/cache.ts'
import type { PasswordHasher } from '../core/host.ts'
import { newPassword, type RandomSource, randomText } from '../core/ids.ts'
import type { StoredKey } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { apiKeyOwnerKey, secretKey } from '../store/item-keys.ts'
import type { Encryption } from './encryption.ts'
import { keepInSecretCheck } from './secret-check.ts'

/** All secrets of a player, not encrypted. */
export interface PlainSecrets {
  readonly password: string
  /** 32 bytes in base64. */
  readonly fernetKey: string
  readonly apiKey: string
}

/** Given secrets of a new user. Missing secrets are generated. */
export type GivenSecrets = { readonly [Name in keyof PlainSecrets]?: string | undefined }

interface DecryptedKey {
  readonly fernetKey: string
  readonly fernet: Fernet
}

export interface SecretStoreOptions {
  readonly storage: FishStorage
  readonly encryption: Encryption
  readonly passwords: Pick<PasswordHasher, 'hash'>
  readonly random: RandomSource
}

const API_KEY_PREFIX = 'fck_'
const API_KEY_LENGTH = 40
const CACHED_KEYS = 10_000

/**
 * Creates the store of users' secrets. Each secret is a separate item under the user's id, so that two concurrent
 * resets cannot undo each other, and leftovers of a deleted user never apply to a new user with the same name. Cache
 * keys contain the encrypted key and its owner, so a cached key is never stale and never used for another user.
 */
export function createSecretStore({ storage, encryption, passwords, random }: SecretStoreOptions) {
  const { items } = storage
  const decryptedKeys = createLruCache<string, DecryptedKey>(CACHED_KEYS)
  const apiKeys = createApiKeys(storage)
  const newApiKey = () => `${API_KEY_PREFIX}${randomText(API_KEY_LENGTH, random)}`

  /** Replaces a secret only if the secret still exists, because the user may be deleted at the same time. */
  async function reset({ id }: User, secret: 'password' | 'fernet', stored: string): Promise<void> {
    if (!(await replaceSecret(storage, secretKey(id, secret), () => stored))) throw new HttpError('user_not_found')
  }

  async function encrypting({ id }: User, key: string, store: (encrypted: string) => Promise<void>): Promise<void> {
    await store(await encryption.encrypt(key, id))
    await keepInSecretCheck(storage, encryption)
  }

  async function storedKey(owner: string): Promise<StoredKey> {
    return { owner, encrypted: await items.getItem(secretKey(owner, 'fernet')) }
  }

  async function decryptedKey({ id }: User, stored?: StoredKey): Promise<DecryptedKey> {
    const { encrypted } = stored?.owner === id ? stored : await storedKey(id)
    if (encrypted === null) throw new HttpError('user_not_found')
    const cacheKey = `${id} ${encrypted}`
    const cached = decryptedKeys.get(cacheKey)
    if (cached) return cached
    const fernetKey = await encryption.decrypt(encrypted, id)
    const decrypted = { fernetKey, fernet: createFernet(fernetKey) }
    decryptedKeys.set(cacheKey, decrypted)
    return decrypted
  }

  return {
    complete: ({
      password = newPassword(random),
      fernetKey = generateFernetKey(random),
      apiKey = newApiKey(),
    }: GivenSecrets): PlainSecrets => ({ password, fernetKey, apiKey }),

    async set(user: User, { password, fernetKey, apiKey }: PlainSecrets): Promise<void> {
      // Hash before anything is written, because hashing fails while too many logins are waiting.
      const hash = await passwords.hash(password)
      await Promise.all([
        items.setItem(secretKey(user.id, 'password'), hash),
        encrypting(user, fernetKey, (encrypted) => items.setItem(secretKey(user.id, 'fernet'), encrypted)),
        apiKeys.set(user, apiKey),
      ])
    },

    async remove({ id }: User): Promise<void> {
      await apiKeys.remove(id)
      await Promise.all((['password', 'fernet'] as const).map((secret) => items.removeItem(secretKey(id, secret))))
    },

    storedKey,
    fernet: async (user: User, stored?: StoredKey): Promise<Fernet> => (await decryptedKey(user, stored)).fernet,
    nameByApiKeyHash: apiKeys.nameOf,
    hasApiKeyHash: apiKeys.belongsTo,

    secrets: {
      /** Returns the stored hash, or `undefined` while the user is being deleted. */
      async passwordHash({ id }: User): Promise<string | undefined> {
        return (await items.getItem(secretKey(id, 'password'))) ?? undefined
      },

      fernetKey: async (user: User): Promise<string> => (await decryptedKey(user)).fernetKey,

      async resetPassword(user: User): Promise<string> {
        const password = newPassword(random)
        await reset(user, 'password', await passwords.hash(password))
        return password
      },

      /**
       * Replaces the password. Returns `false` if the password was replaced meanwhile, or the user was deleted.
       * @param before the stored hash of the old password
       */
      async changePassword({ id }: User, before: string, password: string): Promise<boolean> {
        return storage.replaceItemIf(secretKey(id, 'password'), before, await passwords.hash(password))
      },

      async resetFernetKey(user: User): Promise<string> {
        const fernetKey = generateFernetKey(random)
        await encrypting(user, fernetKey, (encrypted) => reset(user, 'fernet', encrypted))
        return fernetKey
      },

      async resetApiKey(user: User): Promise<string> {
        const apiKey = newApiKey()
        if (!(await apiKeys.replace(user, apiKey))) throw new HttpError('user_not_found')
        return apiKey
      },
    },
  }
}

const SEPARATOR = ' '

/**
 * Stores API keys as hashes, in two items: the user item contains the hash, and the owner item, with the hash in its
 * key, contains the name of the user. During the replacement of a key, and after a crash in between, the user item
 * lists several hashes. A hash is added before its owner item is written, and dropped after the owner item is removed.
 * A later change therefore finds all owner items to remove.
 */
function createApiKeys(storage: FishStorage) {
  const { items } = storage
  const itemOf = (id: string) => secretKey(id, 'api-key')
  const removeOwners = (hashes: readonly string[]) =>
    Promise.all(hashes.map((hash) => items.removeItem(apiKeyOwnerKey(hash))))

  return {
    async set({ id, name }: User, apiKey: string): Promise<void> {
      const hash = await sha256Hex(apiKey)
      await items.setItem(itemOf(id), hash)
      await items.setItem(apiKeyOwnerKey(hash), name)
    },

    /** @returns `false`, with nothing stored, if the user was deleted */
    async replace({ id, name }: User, apiKey: string): Promise<boolean> {
      const hash = await sha256Hex(apiKey)
      if ((await replaceSecret(storage, itemOf(id), (hashes) => hashes + SEPARATOR + hash)) === undefined) return false
      await items.setItem(apiKeyOwnerKey(hash), name)
      while (true) {
        const stored = await items.getItem(itemOf(id))
        const hashes = stored === null ? [] : stored.split(SEPARATOR)
        const at = hashes.indexOf(hash)
        // Meanwhile, the user was deleted or the key was replaced, possibly before the owner item was written.
        if (stored === null || at < 0) {
          await removeOwners([hash])
          return stored !== null
        }
        await removeOwners(hashes.slice(0, at))
        if (await storage.replaceItemIf(itemOf(id), stored, hashes.slice(at).join(SEPARATOR))) return true
      }
    },

    async remove(id: string): Promise<void> {
      while (true) {
        const stored = await items.getItem(itemOf(id))
        if (stored === null) return
        await removeOwners(stored.split(SEPARATOR))
        if (await storage.removeItemIf(itemOf(id), stored)) return
      }
    },

    async nameOf(hash: string): Promise<string | undefined> {
      return (await items.getItem(apiKeyOwnerKey(hash))) ?? undefined
    },

    async belongsTo({ id }: User, hash: string): Promise<boolean> {
      const stored = (await items.getItem(itemOf(id))) ?? ''
      return stored.split(SEPARATOR).includes(hash)
    },
  }
}

/**
 * Replaces an existing item, and retries after a concurrent change. @returns the previous value, if any
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
