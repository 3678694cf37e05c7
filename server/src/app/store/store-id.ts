import { replacedError, StorageError } from '../../storage/core/errors.ts'
import { STORE_KEY } from '../../storage/core/keys.ts'
import type { FishStorage } from '../../storage/core/types.ts'
import { lazy } from '../core/cache.ts'
import { type RandomSource, randomText } from '../core/ids.ts'

/**
 * The random id of a store. Event ids depend on the store id. A changed id shows that the store was emptied or
 * replaced, so the service stops using the store.
 */
export type StoreId = ReturnType<typeof createStoreId>

export function createStoreId(storage: FishStorage, random: RandomSource) {
  // Generate the id now, so that an app draws random numbers in the same order no matter when the id is needed.
  const fresh = newStoreId(random)
  let id: string | undefined
  let error: StorageError | undefined

  /** Returns the id at the first call. A store without an id gets a new id. @throws StorageError `unfinished` */
  const get = lazy(async () => {
    const value = await storage.items.getItem(STORE_KEY)
    refuseUnfinished(value)
    id = value ?? undefined
    if (id === undefined) {
      // If several servers start at the same time, all use the id that was stored first.
      const isFirst = await storage.setItemIfAbsent(STORE_KEY, fresh)
      id = isFirst ? fresh : ((await storage.items.getItem(STORE_KEY)) ?? fresh)
      refuseUnfinished(id)
    }
    return id
  })

  return {
    get,

    /**
     * Reads the id again, if it is already known. If this function throws an error, `check` throws that error until the
     * next call of `verify`.
     * @throws StorageError `replaced`, `unfinished`
     */
    async verify(): Promise<void> {
      if (id === undefined) return
      const value = await storage.items.getItem(STORE_KEY)
      error = value === id ? undefined : (unfinishedError(value) ?? replacedError())
      if (error) throw error
    },

    /** @throws StorageError of the last call of `verify` */
    check(): void {
      if (error) throw error
    },
  }
}

const ID_LENGTH = 22

export function newStoreId(random: RandomSource): string {
  return randomText(ID_LENGTH, random)
}

/** The id of a store while a copy into the store is incomplete. */
const UNFINISHED = 'unfinished'

function unfinishedError(value: string | null): StorageError | undefined {
  if (value !== UNFINISHED) return undefined
  return new StorageError('unfinished', 'The store is incomplete: a copy into it did not finish.', {
    hint: 'If none is running, empty the store and run the copy again.',
  })
}

/** @throws StorageError `unfinished` */
export function refuseUnfinished(value: string | null): void {
  const error = unfinishedError(value)
  if (error) throw error
}

/** @throws StorageError `unfinished` */
export async function checkFinished(storage: FishStorage): Promise<void> {
  refuseUnfinished(await storage.items.getItem(STORE_KEY))
}

/** @returns `false` if the storage already contains a store or a part of a store */
export function startFilling(storage: FishStorage): Promise<boolean> {
  return storage.setItemIfAbsent(STORE_KEY, UNFINISHED)
}

/** Gives the complete store an id. @throws StorageError `replaced` if the storage was emptied meanwhile */
export async function finishFilling(storage: FishStorage, random: RandomSource): Promise<void> {
  if (await storage.replaceItemIf(STORE_KEY, UNFINISHED, newStoreId(random))) return
  // Mark the store as incomplete again, so that no server starts on it.
  await startFilling(storage)
  throw new StorageError('replaced', 'The store was emptied or replaced while it was filled.')
}
