import { StorageError } from '../../storage/errors.ts'
import type { FishStorage, StoredRecord } from '../../storage/types.ts'
import type { Metrics } from '../core/host.ts'
import type { StoreId } from './store-id.ts'

/** What {@link observeStorage} adds to each operation. */
interface StorageObservers {
  /** Receives the duration and failure of every operation. */
  readonly metrics: Pick<Metrics, 'now' | 'observeStorage'> | undefined
  /** Rejects every operation but `ping` while the storage holds another store than at start. @default unchecked */
  readonly storeId?: Pick<StoreId, 'ready' | 'invalidate'>
}

type Operation = (...args: unknown[]) => Promise<unknown>

/** The same storage, with every operation measured and checked against the store id. */
export function observeStorage(storage: FishStorage, { metrics, storeId }: StorageObservers): FishStorage {
  const now = () => metrics?.now() ?? 0

  function report(operation: string, milliseconds: number, failed: boolean): void {
    metrics?.observeStorage({ operation, seconds: milliseconds / 1000, failed })
  }

  /** After a lost connection, the next one may lead to another store. */
  function invalidateAfter(error: unknown): void {
    if (error instanceof StorageError && error.code === 'unavailable') storeId?.invalidate()
  }

  async function run(operation: string, call: () => Promise<unknown>): Promise<unknown> {
    const check = operation === 'ping' ? undefined : storeId?.ready()
    if (check) await check
    const startedAt = now()
    try {
      const result = await call()
      report(operation, now() - startedAt, false)
      return result
    } catch (error) {
      report(operation, now() - startedAt, true)
      invalidateAfter(error)
      throw error
    }
  }

  /**
   * Counts as one operation, without the time its reader takes. Checks the store before each chunk and at the end, so
   * that a lost store breaks a read off instead of ending it as if it were complete.
   */
  async function* read(...args: Parameters<FishStorage['read']>): AsyncGenerator<readonly StoredRecord[]> {
    await storeId?.ready()
    let spentMs = 0
    let startedAt: number | undefined = now()
    const stop = () => {
      if (startedAt !== undefined) spentMs += now() - startedAt
      startedAt = undefined
    }
    let failed = false
    try {
      for await (const chunk of storage.read(...args)) {
        stop()
        await storeId?.ready()
        yield chunk
        startedAt = now()
      }
      stop()
      await storeId?.ready()
    } catch (error) {
      failed = startedAt !== undefined
      invalidateAfter(error)
      throw error
    } finally {
      stop()
      report('read', spentMs, failed)
    }
  }

  function observe<Target extends object>(target: Target): Target {
    const entries = Object.entries(target).map(([name, value]) => {
      if (typeof value !== 'function') return [name, value]
      return [name, (...args: unknown[]) => run(name, () => (value as Operation).apply(target, args))]
    })
    return Object.fromEntries(entries) as Target
  }

  return { ...observe(storage), items: observe(storage.items), read, dispose: () => storage.dispose() }
}
