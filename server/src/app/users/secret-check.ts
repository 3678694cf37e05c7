import type { FishStorage } from '../../storage/types.ts'
import { ENCRYPTED_PART, ownerOfEncrypted, SECRET_CHECK_KEY, SECRETS_BASE } from '../store/item-keys.ts'
import { type Encryption, isEncrypted, secretIdOf } from './encryption.ts'

const OWNER = 'setting'
const CONTENT = 'fish-crab'
const SEPARATOR = ' '

/**
 * Finds out at start, before anything is written, whether every secret that something may be sealed under is at hand:
 * the check is one sealed text for each. A secret that will be sealed with is added.
 * @throws SealError when one is missing
 */
export async function ensureSecretCheck(storage: FishStorage, vault: Encryption): Promise<void> {
  const kept = await verifySecretCheck(storage, vault)
  const texts = kept === null ? [] : kept.split(SEPARATOR)
  const ofFirst = await Promise.all(texts.map((text) => vault.isCurrent(text, OWNER)))
  if (ofFirst.includes(true)) return
  const value = [...texts, await vault.encrypt(CONTENT, OWNER)].join(SEPARATOR)
  const stored =
    kept === null
      ? await storage.setItemIfAbsent(SECRET_CHECK_KEY, value)
      : await storage.replaceItemIf(SECRET_CHECK_KEY, kept, value)
  if (!stored) await ensureSecretCheck(storage, vault)
}

/** Where items are read. */
export interface ItemSource extends Pick<FishStorage, 'listItems'> {
  readonly items: { getItem(key: string): Promise<string | null> }
}

/**
 * The check as it is stored, `null` when there is none. Writes nothing.
 * @throws SealError when a secret is missing that something may be sealed under
 */
export async function verifySecretCheck(storage: ItemSource, vault: Encryption): Promise<string | null> {
  const kept = await storage.items.getItem(SECRET_CHECK_KEY)
  if (kept === null) await decryptFirstKey(storage, vault)
  else await decryptSecretCheck(kept, vault)
  return kept
}

/** A check that was lost must not be made anew with a secret that opens nothing. */
async function decryptFirstKey(storage: ItemSource, vault: Encryption): Promise<void> {
  const { items } = await storage.listItems({ base: SECRETS_BASE, contains: ENCRYPTED_PART, limit: 1 })
  const [first] = items
  const owner = first && ownerOfEncrypted(first.key)
  if (first && owner !== undefined) await vault.decrypt(first.value, owner)
}

/** Whether a value of {@link SECRET_CHECK_KEY} has the form of a check. */
export function isSecretCheck(text: string): boolean {
  return text.split(SEPARATOR).every(isEncrypted)
}

/**
 * Whether a check has a text of the secret with this id. One of the first release does not say which secret it is of, and
 * may be of any.
 */
export function hasSecretId(check: string, secretId: string | undefined): boolean {
  const ids = check.split(SEPARATOR).map(secretIdOf)
  return secretId === undefined || ids.includes(secretId) || ids.includes(undefined)
}

/**
 * Opens all of a check that was read from {@link SECRET_CHECK_KEY}.
 * @throws SealError when a secret is missing that something may be sealed under
 */
export async function decryptSecretCheck(kept: string, vault: Encryption): Promise<void> {
  await Promise.all(kept.split(SEPARATOR).map((text) => vault.decrypt(text, OWNER)))
}

/**
 * Notes that everything is sealed under the first secret, unless the check is no longer the one that was read before
 * everything was looked through: then another secret may be in use again. Answers whether it is noted.
 */
export async function finishSecretCheck(storage: FishStorage, vault: Encryption, kept: string): Promise<boolean> {
  const [first = '', ...more] = kept.split(SEPARATOR)
  const value = more.length === 0 ? await vault.reencrypt(first, OWNER) : await vault.encrypt(CONTENT, OWNER)
  return value === kept
    ? (await storage.items.getItem(SECRET_CHECK_KEY)) === kept
    : storage.replaceItemIf(SECRET_CHECK_KEY, kept, value)
}
