import type { FishStorage, StoredRecord } from '../../storage/core/types.ts'
import type { Metrics } from '../core/host.ts'
import type { StoreId } from './store-id.ts'

interface StorageObservers {
  readonly metrics: Pick<Metrics, 'observeStorage'> | undefined
  /**
   * Rejects every operation except `ping` while the storage contains a store other than the store found at start.
   * @default unchecked
   */
  readonly storeId?: Pick<StoreId, 'check'>
}

/** Returns a storage that measures every operation, and checks the store id before each operation. */
export function observeStorage(storage: FishStorage, { metrics, storeId }: StorageObservers): FishStorage {
  function observe<Target extends object>(target: Target): Target {
    const operations = Object.entries(target).map(([operation, call]) => {
      // These operations are not observed, because they take no time and read nothing.
      if (typeof call !== 'function' || ['onChange', 'remainingReserve'].includes(operation)) return [operation, call]
      const observed = async (...args: unknown[]) => {
        if (operation !== 'ping') storeId?.check()
        const startedAt = performance.now()
        let failed = true
        try {
          const result = await call.apply(target, args)
          failed = false
          return result
        } finally {
          metrics?.observeStorage({ operation, seconds: (performance.now() - startedAt) / 1000, failed })
        }
      }
      return [operation, observed]
    })
    return Object.fromEntries(operations) as Target
  }

  /**
   * Measures a read as one operation, without the time that the consumer takes. Checks the store id before each chunk
   * and at the end, so that a read of a lost store fails instead of looking complete.
   */
  async function* read(...args: Parameters<FishStorage['read']>): AsyncGenerator<readonly StoredRecord[]> {
    storeId?.check()
    let spentMs = 0
    let startedAt: number | undefined = performance.now()
    const stop = () => {
      if (startedAt !== undefined) spentMs += performance.now() - startedAt
      startedAt = undefined
    }
    let failed = false
    try {
      for await (const chunk of storage.read(...args)) {
        stop()
        storeId?.check()
        yield chunk
        startedAt = performance.now()
      }
      stop()
      storeId?.check()
    } catch (error) {
      failed = startedAt !== undefined
      throw error
    } finally {
      stop()
      metrics?.observeStorage({ operation: 'read', seconds: spentMs / 1000, failed })
    }
  }

  // `dump` is not observed, because no request calls it.
  const { dump } = storage
  return { ...observe(storage), items: observe(storage.items), read, dump, dispose: () => storage.dispose() }
}
