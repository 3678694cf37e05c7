import { StorageError } from '../storage/errors.ts'
import type { FishStorage, StorageExtension, StoredRecord } from '../storage/types.ts'
import { ITEM_OPERATIONS, OPERATIONS, type Operation } from './storage-operations.ts'
import type { StoreIdentity } from './store-identity.ts'

type Guard = Pick<StoreIdentity, 'admit' | 'doubt'>
type Call = (...args: never[]) => Promise<unknown>

/** A ping tells of the storage, whichever store it holds. */
const GUARDED = OPERATIONS.filter((name): name is Exclude<Operation, 'ping'> => name !== 'ping')

/**
 * The same storage as long as it holds the store that the service started with: else every operation fails as the
 * verification did, before the storage hears of it.
 */
export function guardedStorage(storage: FishStorage, guard: Guard): FishStorage {
  const noting = (error: unknown): never => {
    if (error instanceof StorageError && error.code === 'unavailable') guard.doubt()
    throw error
  }

  function guarded<Target extends object, Name extends keyof Target & string>(target: Target, names: readonly Name[]) {
    const entries = names.map((name): [Name, Call] => {
      const call = target[name] as Call
      return [
        name,
        (...args) => {
          const admission = guard.admit()
          const result = admission ? admission.then(() => call.apply(target, args)) : call.apply(target, args)
          return result.catch(noting)
        },
      ]
    })
    return Object.fromEntries(entries) as unknown as Pick<Target, Name>
  }

  return {
    ...storage,
    ...guarded<StorageExtension, (typeof GUARDED)[number]>(storage, GUARDED),
    items: { ...storage.items, ...guarded(storage.items, ITEM_OPERATIONS) },
    read: (...args) => guardedRead(() => storage.read(...args), guard, noting),
  }
}

/** Looks before each chunk: a store that is lost on the way breaks a read off, and does not end it as if it were whole. */
async function* guardedRead(
  open: () => AsyncIterable<readonly StoredRecord[]>,
  guard: Guard,
  noting: (error: unknown) => never,
): AsyncGenerator<readonly StoredRecord[]> {
  try {
    await guard.admit()
    for await (const chunk of open()) {
      await guard.admit()
      yield chunk
    }
    await guard.admit()
  } catch (error) {
    noting(error)
  }
}
