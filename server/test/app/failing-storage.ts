import { createMemoryStorage, type FishStorage } from '@fish-crab/server/app'
import { StorageError } from '@fish-crab/server/storage'

/** The error message of a failing storage. No client may see this message. */
export const SECRET_CAUSE = 'connect ECONNREFUSED redis://:hunter2@10.9.8.7:6379'

/** A storage whose operations fail on demand if their name and first argument match a pattern. */
export function createFailingStorage(storage: FishStorage = createMemoryStorage()) {
  let failing: RegExp | undefined
  const calls: string[] = []
  const watch = <Target extends object>(target: Target, prefix: string): Target =>
    new Proxy(target, {
      get(object, name) {
        const value: unknown = Reflect.get(object, name)
        if (name === 'items') return watch(value as object, 'items.')
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
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
    storage: watch<FishStorage>(storage, ''),
    /** All operations so far. */
    calls: calls as readonly string[],
    /** Makes every matching operation fail. Without a pattern, all operations work again. */
    failAt(operations?: RegExp) {
      failing = operations
    },
  }
}
