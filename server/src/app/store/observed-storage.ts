import { StorageError } from '../../storage/core/errors.ts'
import type { FishStorage, StoredRecord } from '../../storage/core/types.ts'
import type { Metrics } from '../core/host.ts'
import type { StoreId } from './store-id.ts'

interface StorageObservers {
  readonly metrics: Pick<Metrics, 'observeStorage'> | undefined
  /** Rejects every operation but `ping` while the storage holds another store than at start. @default unchecked */
  readonly storeId?: Pick<StoreId, 'ready' | 'invalidate'>
}

/** The same storage, with every operation measured and checked against the store id. */
export function observeStorage(storage: FishStorage, { metrics, storeId }: StorageObservers): FishStorage {
  function observe<Target extends object>(target: Target): Target {
    const operations = Object.entries(target).map(([operation, call]) => {
      // It takes no time and reads nothing.
      if (typeof call !== 'function' || operation === 'onChange') return [operation, call]
      const observed = async (...args: unknown[]) => {
        const check = operation === 'ping' ? undefined : storeId?.ready()
        if (check) await check
        const startedAt = performance.now()
        let failed = true
        try {
          const result = await call.apply(target, args)
          failed = false
          return result
        } catch (error) {
          invalidateAfter(error)
          throw error
        } finally {
          metrics?.observeStorage({ operation, seconds: (performance.now() - startedAt) / 1000, failed })
        }
      }
      return [operation, observed]
    })
    return Object.fromEntries(operations) as Target
  }

  /** After a lost connection, the next one may lead to another store. */
  function invalidateAfter(error: unknown): void {
    if (error instanceof StorageError && error.code === 'unavailable') storeId?.invalidate()
  }

  /**
   * Counts as one operation, without the time its reader takes. Checks the store before each chunk and at the end, so
   * that a lost store breaks a read off instead of ending it as if it were complete.
   */
  async function* read(...args: Parameters<FishStorage['read']>): AsyncGenerator<readonly StoredRecord[]> {
    await storeId?.ready()
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
        await storeId?.ready()
        yield chunk
        startedAt = performance.now()
      }
      stop()
      await storeId?.ready()
    } catch (error) {
      failed = startedAt !== undefined
      invalidateAfter(error)
      throw error
    } finally {
      stop()
      metrics?.observeStorage({ operation: 'read', seconds: spentMs / 1000, failed })
    }
  }

  // No request dumps.
  const { dump } = storage
  return { ...observe(storage), items: observe(storage.items), read, dump, dispose: () => storage.dispose() }
}
