import { EPOCH_KEY } from '../../storage/core/keys.ts'
import type { FishStorage } from '../../storage/core/types.ts'

/** The epoch of a store, which gets one if it has none: a new store, and one that was restored or imported. */
export async function ensureEpoch({ items, setItemIfAbsent }: FishStorage, createId: () => string): Promise<string> {
  const epoch = await items.getItem(EPOCH_KEY)
  if (epoch !== null) return epoch
  const created = createId()
  // Several processes may do so at once: all use that of the first.
  return (await setItemIfAbsent(EPOCH_KEY, created)) ? created : ((await items.getItem(EPOCH_KEY)) ?? created)
}
