import { createMemoryStorage, type FishStorage } from '@fish-crab/server/app'
import { StorageError } from '@fish-crab/server/storage'

/** The message of errors of a failing storage. No client may see it. */
export const SECRET_CAUSE = 'connect ECONNREFUSED redis://:hunter2@10.9.8.7:6379'

/** A storage that fails on demand at operations whose name and first argument match a pattern. */
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
    /** Every operation so far. */
    calls: calls as readonly string[],
    /** Fails every matching operation. Without a pattern, everything works again. */
    failAt(operations?: RegExp) {
      failing = operations
    },
  }
}
