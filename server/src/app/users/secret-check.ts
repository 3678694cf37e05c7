import type { FishStorage } from '../../storage/core/types.ts'
import { ENCRYPTED_PART, ownerOfEncrypted, SECRET_CHECK_KEY, SECRETS_BASE } from '../store/item-keys.ts'
import { type Encryption, secretIdOf } from './encryption.ts'

/*
 * The secret check is an item with one encrypted text for each secret in use, so that the service detects a missing
 * secret at start, before it writes anything.
 */

const OWNER = 'setting'
const CONTENT = 'fish-crab'
const SEPARATOR = ' '

/** Verifies the secret check, and adds the current secret to it. @throws DecryptionError for a missing secret */
export async function ensureSecretCheck(storage: FishStorage, encryption: Encryption): Promise<void> {
  const stored = await verifySecretCheck(storage, encryption)
  const texts = stored === null ? [] : stored.split(SEPARATOR)
  const areCurrent = await Promise.all(texts.map((text) => encryption.isCurrent(text, OWNER)))
  if (areCurrent.includes(true)) return
  const value = [...texts, await encryption.encrypt(CONTENT, OWNER)].join(SEPARATOR)
  const isWritten =
    stored === null
      ? await storage.setItemIfAbsent(SECRET_CHECK_KEY, value)
      : await storage.replaceItemIf(SECRET_CHECK_KEY, stored, value)
  if (!isWritten) await ensureSecretCheck(storage, encryption)
}

/**
 * Adds the current secret to an existing check that does not contain this secret. A rotation may have removed the
 * secret from the check while this server still encrypts with it. Call this function after a key is stored.
 */
export async function keepInSecretCheck(storage: FishStorage, encryption: Encryption): Promise<void> {
  const stored = await storage.items.getItem(SECRET_CHECK_KEY)
  if (stored === null) return
  const own = await encryption.encrypt(CONTENT, OWNER)
  if (stored.split(SEPARATOR).map(secretIdOf).includes(secretIdOf(own))) return
  const isWritten = await storage.replaceItemIf(SECRET_CHECK_KEY, stored, stored + SEPARATOR + own)
  if (!isWritten) await keepInSecretCheck(storage, encryption)
}

export interface ItemSource extends Pick<FishStorage, 'listItems'> {
  readonly items: { getItem(key: string): Promise<string | null> }
}

/** Verifies the check. @returns the stored check, if any @throws DecryptionError for a missing secret */
export async function verifySecretCheck(storage: ItemSource, encryption: Encryption): Promise<string | null> {
  const stored = await storage.items.getItem(SECRET_CHECK_KEY)
  if (stored === null) await decryptFirstKey(storage, encryption)
  else await decryptSecretCheck(stored, encryption)
  return stored
}

/** Decrypts one key if the check was lost, so that a wrong secret does not create a new check. */
async function decryptFirstKey(storage: ItemSource, encryption: Encryption): Promise<void> {
  const { items } = await storage.listItems({ base: SECRETS_BASE, contains: ENCRYPTED_PART, limit: 1 })
  const [first] = items
  const owner = first && ownerOfEncrypted(first.key)
  if (first && owner !== undefined) await encryption.decrypt(first.value, owner)
}

/** @throws DecryptionError for a missing secret */
export async function decryptSecretCheck(check: string, encryption: Encryption): Promise<void> {
  await Promise.all(check.split(SEPARATOR).map((text) => encryption.decrypt(text, OWNER)))
}

/**
 * Replaces a check by a check that contains only the current secret. Call this function after all keys are encrypted
 * with this secret. Does nothing if the check has changed since it was read, because another secret may be in use
 * again.
 * @returns whether only the current secret is in use
 */
export async function finishSecretCheck(storage: FishStorage, encryption: Encryption, check: string): Promise<boolean> {
  const [first = '', ...more] = check.split(SEPARATOR)
  const value = more.length === 0 ? await encryption.reencrypt(first, OWNER) : await encryption.encrypt(CONTENT, OWNER)
  return value === check
    ? (await storage.items.getItem(SECRET_CHECK_KEY)) === check
    : storage.replaceItemIf(SECRET_CHECK_KEY, check, value)
}
