import type { FishStorage, StorageExtension, StoredRecord } from '../storage/types.ts'
import type { Metrics } from './metrics.ts'

type Call = (...args: never[]) => Promise<unknown>
type Operation = Exclude<keyof StorageExtension, 'durability' | 'warnings' | 'read'>

/** As a record, so that an operation that is added to the storage cannot be forgotten here. */
const OPERATIONS: Readonly<Record<Operation, true>> = {
  ping: true,
  append: true,
  findRecord: true,
  version: true,
  removeRecord: true,
  removeOwner: true,
  tallies: true,
  leaders: true,
  setItemIfAbsent: true,
  removeItemIf: true,
  replaceItemIf: true,
  listItems: true,
  countItems: true,
  countInWindow: true,
  peekWindow: true,
}
/** The operations on items that the service uses. */
const ITEM_OPERATIONS = ['getItem', 'setItem', 'removeItem'] as const

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
    ...measured<StorageExtension, Operation>(storage, Object.keys(OPERATIONS) as Operation[]),
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
