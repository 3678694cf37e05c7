import { itemKey } from '../../storage/keys.ts'
import type { FishStorage } from '../../storage/types.ts'
import type { Vault } from './vault.ts'

const KEY = itemKey('setting', 'seal-check')
const OWNER = 'setting'
const CONTENT = 'fish-crab'

/**
 * Finds out at start, before anything is written, whether the data was sealed under the secret at hand.
 * @throws SealError when it was sealed under another one
 */
export async function checkSeal(storage: FishStorage, vault: Vault): Promise<void> {
  const sealed = await storage.items.getItem(KEY)
  if (sealed !== null) {
    await vault.open(sealed, OWNER)
    return
  }
  const stored = await storage.setItemIfAbsent(KEY, await vault.seal(CONTENT, OWNER))
  if (!stored) await checkSeal(storage, vault)
}
