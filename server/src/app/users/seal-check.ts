import { itemKey } from '../../storage/keys.ts'
import type { FishStorage } from '../../storage/types.ts'
import { ownerOfSealed, SEALED_PART, SECRETS_BASE } from './secret-keys.ts'
import { isSealed, secretIdOf, type Vault } from './vault.ts'

/** The item that holds the check. */
export const SEAL_CHECK_KEY = itemKey('setting', 'seal-check')

const OWNER = 'setting'
const CONTENT = 'fish-crab'
const SEPARATOR = ' '

/**
 * Finds out at start, before anything is written, whether every secret that something may be sealed under is at hand:
 * the check is one sealed text for each. A secret that will be sealed with is added.
 * @throws SealError when one is missing
 */
export async function checkSeal(storage: FishStorage, vault: Vault): Promise<void> {
  const kept = await openSealCheck(storage, vault)
  const texts = kept === null ? [] : kept.split(SEPARATOR)
  const ofFirst = await Promise.all(texts.map((text) => vault.isOfFirst(text, OWNER)))
  if (ofFirst.includes(true)) return
  const value = [...texts, await vault.seal(CONTENT, OWNER)].join(SEPARATOR)
  const stored =
    kept === null
      ? await storage.setItemIfAbsent(SEAL_CHECK_KEY, value)
      : await storage.replaceItemIf(SEAL_CHECK_KEY, kept, value)
  if (!stored) await checkSeal(storage, vault)
}

/** Where items are read. */
export interface ItemSource extends Pick<FishStorage, 'listItems'> {
  readonly items: { getItem(key: string): Promise<string | null> }
}

/**
 * The check as it is stored, `null` when there is none. Writes nothing.
 * @throws SealError when a secret is missing that something may be sealed under
 */
export async function openSealCheck(storage: ItemSource, vault: Vault): Promise<string | null> {
  const kept = await storage.items.getItem(SEAL_CHECK_KEY)
  if (kept === null) await openFirstKey(storage, vault)
  else await openSealTexts(kept, vault)
  return kept
}

/** A check that was lost must not be made anew with a secret that opens nothing. */
async function openFirstKey(storage: ItemSource, vault: Vault): Promise<void> {
  const { items } = await storage.listItems({ base: SECRETS_BASE, contains: SEALED_PART, limit: 1 })
  const [first] = items
  const owner = first && ownerOfSealed(first.key)
  if (first && owner !== undefined) await vault.open(first.value, owner)
}

/** Whether a value of {@link SEAL_CHECK_KEY} has the form of a check. */
export function isSealCheck(text: string): boolean {
  return text.split(SEPARATOR).every(isSealed)
}

/**
 * Whether a check has a text of the secret with this id. One of the first release does not say which secret it is of, and
 * may be of any.
 */
export function namesSecret(check: string, secretId: string | undefined): boolean {
  const ids = check.split(SEPARATOR).map(secretIdOf)
  return secretId === undefined || ids.includes(secretId) || ids.includes(undefined)
}

/**
 * Opens all of a check that was read from {@link SEAL_CHECK_KEY}.
 * @throws SealError when a secret is missing that something may be sealed under
 */
export async function openSealTexts(kept: string, vault: Vault): Promise<void> {
  await Promise.all(kept.split(SEPARATOR).map((text) => vault.open(text, OWNER)))
}

/**
 * Notes that everything is sealed under the first secret, unless the check is no longer the one that was read before
 * everything was looked through: then another secret may be in use again. Answers whether it is noted.
 */
export async function settleSealCheck(storage: FishStorage, vault: Vault, kept: string): Promise<boolean> {
  const [first = '', ...more] = kept.split(SEPARATOR)
  const value = more.length === 0 ? await vault.reseal(first, OWNER) : await vault.seal(CONTENT, OWNER)
  return value === kept
    ? (await storage.items.getItem(SEAL_CHECK_KEY)) === kept
    : storage.replaceItemIf(SEAL_CHECK_KEY, kept, value)
}
