import type { User } from '@fish-crab/sdk/contract'
import { itemKey } from '../../storage/keys.ts'
import type { FishStorage } from '../../storage/types.ts'
import { sha256Hex } from './digest.ts'
import { replaceSecret } from './replace-secret.ts'
import { secretKey } from './secret-keys.ts'

/** The API keys of users, each an item of the user and one that leads from the key to the user. */
export interface ApiKeys {
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
export function createApiKeys(storage: FishStorage): ApiKeys {
  const { items } = storage
  const ownKey = (id: string) => secretKey(id, 'api-key')
  const leadKey = (hash: string) => itemKey('api-key', hash)
  const removeLeads = (hashes: readonly string[]) => Promise.all(hashes.map((hash) => items.removeItem(leadKey(hash))))

  return {
    async set({ id, name }, apiKey) {
      const hash = await sha256Hex(apiKey)
      await items.setItem(ownKey(id), hash)
      await items.setItem(leadKey(hash), name)
    },

    async replace({ id, name }, apiKey) {
      const hash = await sha256Hex(apiKey)
      if ((await replaceSecret(storage, ownKey(id), (hashes) => hashes + SEPARATOR + hash)) === undefined) return false
      await items.setItem(leadKey(hash), name)
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
      return (await items.getItem(leadKey(await sha256Hex(apiKey)))) ?? undefined
    },

    async belongsTo({ id }, apiKey) {
      const kept = (await items.getItem(ownKey(id))) ?? ''
      return kept.split(SEPARATOR).includes(await sha256Hex(apiKey))
    },
  }
}
