import type { User } from '@fish-crab/sdk/contract'
import { createFernet, type Fernet, generateFernetKey } from '@fish-crab/sdk/fernet'
import type { FishStorage } from '../../storage/core/types.ts'
import { sha256Hex } from '../core/bytes.ts'
import { createLruCache } from '../core/cache.ts'
import type { PasswordHasher } from '../core/host.ts'
import { newPassword, type RandomSource, randomText } from '../core/ids.ts'
import type { StoredKey } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { secretKey } from '../store/item-keys.ts'
import type { Encryption } from './encryption.ts'
import { createLogins, type StoredLink, type StoredLogin, type StoredRedemption } from './logins.ts'
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
 * Creates the store of users' secrets. The Fernet key and the login are separate items under the user's id, so that
 * leftovers of a deleted user never apply to a new user with the same name. Cache keys contain the encrypted key and its
 * owner, so a cached key is never stale and never used for another user.
 */
export function createSecretStore({ storage, encryption, passwords, random }: SecretStoreOptions) {
  const { items } = storage
  const decryptedKeys = createLruCache<string, DecryptedKey>(CACHED_KEYS)
  const logins = createLogins(storage)
  const newApiKey = () => `${API_KEY_PREFIX}${randomText(API_KEY_LENGTH, random)}`

  /** Replaces the Fernet key only if it still exists, because the user may be deleted at the same time. */
  async function replaceFernetKey({ id }: User, encrypted: string): Promise<void> {
    const key = secretKey(id, 'fernet')
    while (true) {
      const before = await items.getItem(key)
      if (before === null) throw new HttpError('user_not_found')
      if (await storage.replaceItemIf(key, before, encrypted)) return
    }
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

  /** Returns a password and its hash, which costs less for a generated password. */
  async function hashed(given: string | undefined): Promise<{ readonly password: string; readonly hash: string }> {
    const password = given ?? newPassword(random)
    return { password, hash: await passwords.hash(password, { isRandom: given === undefined }) }
  }

  return {
    /** Stores the secrets of a new user. Missing secrets are generated. */
    async create(
      user: User,
      { password: given, fernetKey = generateFernetKey(random), apiKey = newApiKey() }: GivenSecrets,
      redeem?: (secrets: PlainSecrets) => Promise<StoredRedemption>,
    ): Promise<PlainSecrets> {
      // Hash before anything is written, because hashing fails while too many logins are waiting.
      const { password, hash } = await hashed(given)
      const secrets = { password, fernetKey, apiKey }
      const redeemed = await redeem?.(secrets)
      await Promise.all([
        encrypting(user, fernetKey, (encrypted) => items.setItem(secretKey(user.id, 'fernet'), encrypted)),
        logins.create(user, { password: hash, apiKeys: [await sha256Hex(apiKey)], ...(redeemed && { redeemed }) }),
      ])
      return secrets
    },

    async remove(user: User): Promise<void> {
      await Promise.all([logins.remove(user), items.removeItem(secretKey(user.id, 'fernet'))])
    },

    storedKey,
    fernet: async (user: User, stored?: StoredKey): Promise<Fernet> => (await decryptedKey(user, stored)).fernet,
    logins,

    secrets: {
      /** Returns the stored hash, or `undefined` while the user is being deleted. */
      passwordHash: async (user: User): Promise<string | undefined> => (await logins.find(user))?.password,

      fernetKey: async (user: User): Promise<string> => (await decryptedKey(user)).fernetKey,

      async resetPassword(user: User): Promise<string> {
        const { password, hash } = await hashed(undefined)
        await logins.change(user, ({ apiKeys }) => ({ password: hash, apiKeys }))
        return password
      },

      /**
       * Replaces the password. Returns `false` if the password was replaced meanwhile, or the user was deleted.
       * @param before the stored hash of the old password
       */
      async changePassword(user: User, before: string, password: string): Promise<boolean> {
        const { hash } = await hashed(password)
        const changed = await logins.change(user, (login) =>
          login.password === before ? { password: hash, apiKeys: login.apiKeys } : undefined,
        )
        return changed !== undefined
      },

      async resetFernetKey(user: User): Promise<string> {
        const fernetKey = generateFernetKey(random)
        await encrypting(user, fernetKey, (encrypted) => replaceFernetKey(user, encrypted))
        await logins.change(user, endLink)
        return fernetKey
      },

      async resetApiKey(user: User): Promise<string> {
        const apiKey = newApiKey()
        const hash = await sha256Hex(apiKey)
        await logins.change(user, ({ password }) => ({ password, apiKeys: [hash] }))
        return apiKey
      },

      /** Ends the login link of a user. */
      async endLink(user: User): Promise<void> {
        await logins.change(user, endLink)
      },

      /** Lets a link with this token replace the password and the API key. */
      async setLink(user: User, link: StoredLink): Promise<void> {
        await logins.change(user, ({ password, apiKeys }) => ({ password, apiKeys, link }))
      },

      /**
       * Replaces the password and the API key in one write, if the link is still open. Returns `undefined` if the link
       * was used or ended.
       * @param redeem makes the stored redemption from the new secrets
       */
      async redeemLink(
        user: User,
        isOpen: (login: StoredLogin) => boolean,
        {
          password: given,
          redeem,
        }: { password: string | undefined; redeem: (secrets: PlainSecrets) => Promise<StoredRedemption> },
      ): Promise<PlainSecrets | undefined> {
        const { password, hash } = await hashed(given)
        const secrets = { password, fernetKey: (await decryptedKey(user)).fernetKey, apiKey: newApiKey() }
        const apiKeys = [await sha256Hex(secrets.apiKey)]
        const redeemed = await redeem(secrets)
        const changed = await logins.change(user, (login) =>
          isOpen(login) ? { password: hash, apiKeys, redeemed } : undefined,
        )
        return changed && secrets
      },

      findLogin: logins.find,
      repeatOwners: logins.repeatOwners,
    },
  }
}

function endLink({ password, apiKeys, link, redeemed }: StoredLogin): StoredLogin | undefined {
  return link || redeemed ? { password, apiKeys } : undefined
}
