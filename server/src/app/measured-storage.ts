import type { FishStorage, StorageExtension, StoredRecord } from '../storage/types.ts'
import type { Metrics } from './metrics.ts'
import { ITEM_OPERATIONS, OPERATIONS, type Operation } from './storage-operations.ts'

type Call = (...args: never[]) => Promise<unknown>
/** The same storage, with the duration and the failure of every operation observed. */
export function measuredStorage(storage: FishStorage, metrics: Metrics): FishStorage {
  const { now, observeStorage } = metrics
  const observe = (operation: string, started: number, failed: boolean) =>
    observeStorage({ operation, seconds: (now() - started) / 1000, failed })

  function measured<Target extends object, Name extends keyof Target & string>(target: Target, names: readonly Name[]) {
    const entries = names.map((name): [Name, Call] => {
      const call = target[name] as Call
      return [
        name,
        (...args) => {
          const started = now()
          const result = call.apply(target, args)
          result.then(
            () => observe(name, started, false),
            () => observe(name, started, true),
          )
          return result
        },
      ]
    })
    return Object.fromEntries(entries) as unknown as Pick<Target, Name>
  }

  return {
    ...storage,
    ...measured<StorageExtension, Operation>(storage, OPERATIONS),
    items: { ...storage.items, ...measured(storage.items, ITEM_OPERATIONS) },
    read: (...args) => measuredRead(() => storage.read(...args), metrics),
  }
}

/** A read counts as one operation, as long as the storage worked on it: what its reader does between is not in it. */
async function* measuredRead(
  open: () => AsyncIterable<readonly StoredRecord[]>,
  { now, observeStorage }: Metrics,
): AsyncGenerator<readonly StoredRecord[]> {
  let failed = true
  let started = now()
  let spent = 0
  try {
    for await (const chunk of open()) {
      spent += now() - started
      failed = false
      yield chunk
      failed = true
      started = now()
    }
    spent += now() - started
    failed = false
  } finally {
    if (failed) spent += now() - started
    observeStorage({ operation: 'read', seconds: spent / 1000, failed })
  }
}
