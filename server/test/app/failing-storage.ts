import { type StorageDriver, StorageError, wrapDriver } from '@fish-crab/server/storage'
import { createMemoryDriver } from '../../src/storage/memory/memory.ts'

/** The error message of a failing storage. No client may see this message. */
export const SECRET_CAUSE = 'connect ECONNREFUSED redis://:hunter2@10.9.8.7:6379'

const ITEM_OPERATIONS: ReadonlySet<string> = new Set(['hasItem', 'getItem', 'setItem', 'removeItem', 'getKeys'])

/** A storage whose operations fail on demand if their name and first argument match a pattern. */
export function createFailingStorage(driver: StorageDriver = createMemoryDriver()) {
  let failing: RegExp | undefined
  const calls: string[] = []
  const watched = new Proxy(driver, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        const prefix = ITEM_OPERATIONS.has(String(name)) ? 'items.' : ''
        const call = `${prefix}${String(name)} ${typeof args[0] === 'string' ? args[0] : ''}`
        calls.push(call)
        if (!failing?.test(call)) return value.apply(object, args)
        const error = new StorageError('unavailable', SECRET_CAUSE, { cause: new Error('at node:net') })
        if (name === 'read') throw error
        return Promise.reject(error)
      }
    },
  })
  return {
    storage: wrapDriver(watched),
    /** All operations of the driver so far. */
    calls: calls as readonly string[],
    /** Makes every matching operation fail. Without a pattern, all operations work again. */
    failAt(operations?: RegExp) {
      failing = operations
    },
  }
}
