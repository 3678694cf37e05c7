import { itemKey } from '../../storage/keys.ts'
import type { FishStorage } from '../../storage/types.ts'
import { isSealed, type Vault } from './vault.ts'

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
export interface ItemSource {
  readonly items: { getItem(key: string): Promise<string | null> }
}

/**
 * The check as it is stored, `null` when there is none. Writes nothing.
 * @throws SealError when a secret is missing that something may be sealed under
 */
export async function openSealCheck({ items }: ItemSource, vault: Vault): Promise<string | null> {
  const kept = await items.getItem(SEAL_CHECK_KEY)
  if (kept !== null) await openSealTexts(kept, vault)
  return kept
}

/** Whether a value of {@link SEAL_CHECK_KEY} has the form of a check. */
export function isSealCheck(text: string): boolean {
  return text.split(SEPARATOR).every(isSealed)
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
