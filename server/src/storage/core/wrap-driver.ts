import { createStorage } from 'unstorage'
import { createTalliesReader } from './collection-tallies.ts'
import { StorageError } from './errors.ts'
import { checkItemKey } from './keys.ts'
import { createRecordChanges } from './record-changes.ts'
import type {
  Collection,
  FishStorage,
  ItemRange,
  ItemStorage,
  NewRecord,
  RecordRemoval,
  StorageDriver,
  StorageExtension,
  StorageObserver,
} from './types.ts'

type Unobserved = 'durability' | 'warnings' | 'remainingReserve' | 'onChange' | 'setTimes'
type Operation = Exclude<keyof StorageExtension, Unobserved>

const unchanged = <Args extends readonly unknown[]>(...args: Args): Args => args

/** The operations of a driver, each with the check of its input. */
const INPUTS: {
  readonly [Name in Operation]: (
    ...args: Parameters<StorageExtension[Name]>
  ) => Readonly<Parameters<StorageExtension[Name]>>
} = {
  ping: () => [],
  append: (collection, record) => [only(collection), checkRecord(record)],
  findRecord: unchanged,
  findById: unchanged,
  read: unchanged,
  dump: unchanged,
  version: unchanged,
  latest: (collection, count) => [collection, checkLimit(count)],
  removeEntriesIf: (collection, removal) => [only(collection), onlyVersion(removal)],
  moveRecordIf: (collection, move) => [only(collection), onlyVersion(move)],
  useToken: unchanged,
  removeOwner: unchanged,
  signalChange: unchanged,
  tallies: () => [],
  collectionTallies: unchanged,
  leaders: (range) => [{ ...range, limit: checkLimit(range.limit) }],
  setItemIfAbsent: (key, value) => [checkItemKey(key), checkItemValue(value)],
  removeItemIf: (key, value) => [checkItemKey(key), checkItemValue(value)],
  replaceItemIf: (key, expected, value) => [checkItemKey(key), checkItemValue(expected), checkItemValue(value)],
  listItems: (range) => [checkRange(range)],
  countItems: (base) => [checkBase(base)],
  countInWindow: unchanged,
  peekWindow: unchanged,
}

const ITEM_OPERATIONS = ['hasItem', 'getItem', 'setItem', 'removeItem', 'getKeys'] as const

/**
 * Creates the storage of the service from a driver. For all drivers, rejects keys, values and records that could not be
 * read back unchanged.
 *
 * @throws {TypeError} if the driver lacks operations; the message lists them
 * @example const storage = wrapDriver(myDriver()) // checked by describeStorage() of @fish-crab/server/storage/conformance
 */
export function wrapDriver(driver: StorageDriver): FishStorage {
  const missing = [...ITEM_OPERATIONS, ...(Object.keys(INPUTS) as Operation[]), 'onChange' as const].filter(
    (name) => typeof driver?.[name] !== 'function',
  )
  if (missing.length > 0) {
    throw new TypeError(
      `wrapDriver: the driver lacks ${missing.join(', ')}. An unstorage driver alone is not enough: implement StorageDriver.`,
    )
  }
  let disposed: Promise<void> | undefined
  const dispose = () => {
    disposed ??= Promise.resolve(driver.dispose?.())
    return disposed
  }
  return createFishStorage(driver, dispose, {})
}

function createFishStorage(
  driver: StorageDriver,
  dispose: () => Promise<void>,
  observer: StorageObserver,
): FishStorage {
  const observe = createObserve(observer)
  const operations = Object.fromEntries(
    Object.entries(INPUTS).map(([name, input]) => {
      const call = driver[name as Operation] as (...args: unknown[]) => Promise<unknown>
      const check = input as (...args: unknown[]) => readonly unknown[]
      return [name, (...args: unknown[]) => observe(name, () => call.apply(driver, [...check(...args)]))]
    }),
  ) as unknown as Pick<StorageDriver, Operation>
  const read: StorageDriver['read'] = (...args) => observeChunks(() => driver.read(...args), observer)
  const { removeEntriesIf: _, moveRecordIf: __, ...rest } = operations
  return {
    ...rest,
    read,
    // No request calls `dump`.
    dump: (owner) => driver.dump(owner),
    ...createRecordChanges(operations),
    collectionTallies: createTalliesReader({ ...operations, read, setTimes: driver.setTimes?.bind(driver) }),
    driver: driver.name ?? 'unknown',
    durability: driver.durability,
    ...(driver.warnings ? { warnings: driver.warnings } : {}),
    items: createItems(driver, observe),
    onChange: (listener) => driver.onChange(listener),
    remainingReserve: () => driver.remainingReserve?.() ?? 1,
    observedBy: (other) => createFishStorage(driver, dispose, other),
    dispose,
  }
}

type Observe = ReturnType<typeof createObserve>

function createObserve({ check, observe }: StorageObserver) {
  return async <Result>(operation: string, run: () => Promise<Result>): Promise<Result> => {
    // A ping also works on a store that another store has replaced.
    if (operation !== 'ping') check?.()
    if (!observe) return run()
    const startedAt = performance.now()
    let failed = true
    try {
      const result = await run()
      failed = false
      return result
    } finally {
      observe({ operation, seconds: (performance.now() - startedAt) / 1000, failed })
    }
  }
}

/**
 * Measures a read as one operation, without the time that the consumer takes. Checks the store before each chunk and at
 * the end, so that a read of a lost store fails instead of looking complete.
 */
async function* observeChunks<Chunk>(
  read: () => AsyncIterable<Chunk>,
  { check, observe }: StorageObserver,
): AsyncGenerator<Chunk> {
  check?.()
  let spentMs = 0
  let startedAt: number | undefined = performance.now()
  const stop = () => {
    if (startedAt !== undefined) spentMs += performance.now() - startedAt
    startedAt = undefined
  }
  let failed = false
  try {
    for await (const chunk of read()) {
      stop()
      check?.()
      yield chunk
      startedAt = performance.now()
    }
    stop()
    check?.()
  } catch (error) {
    failed = startedAt !== undefined
    throw error
  } finally {
    stop()
    observe?.({ operation: 'read', seconds: spentMs / 1000, failed })
  }
}

/**
 * Items through unstorage. unstorage's `getItem` parses values (`"123"` would become a number), so values are read from
 * the driver. unstorage drops everything after a `?` and turns `/` into `:`, so keys that it would change are refused.
 */
function createItems(driver: StorageDriver, observe: Observe): ItemStorage {
  const storage = createStorage<string>({ driver })
  return {
    getItem: (key) =>
      observe('getItem', async () => ((await driver.getItem(checkItemKey(key))) ?? null) as string | null),
    setItem: (key, value) => observe('setItem', async () => storage.setItem(checkItemKey(key), checkItemValue(value))),
    removeItem: (key) => observe('removeItem', async () => storage.removeItem(checkItemKey(key))),
    getKeys: (base) => observe('getKeys', () => storage.getKeys(base)),
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1
}

/** Drops other properties, so that a message to a thread contains nothing else. */
function only({ owner, kind, gamemode }: Collection): Collection {
  return { owner, kind, gamemode }
}

/** Drops the text of a record, which may have 200 KB. */
function onlyVersion<Change extends Pick<RecordRemoval, 'record'>>({ record: { id, count }, ...change }: Change) {
  return { ...change, record: { id, count } }
}

/** Rejects text that UTF-8 cannot encode, because the text would be read back changed. */
function checkItemValue(value: unknown): string {
  if (typeof value === 'string' && value.isWellFormed()) return value
  throw new StorageError('invalid_value', 'An item is a string of well-formed Unicode. Write other values as JSON.')
}

function checkRecord({ id, dedupeKey, entries, tally }: NewRecord): NewRecord {
  const { count, labels, species, days } = tally
  const texts = [entries, ...Object.keys(labels), ...species.map(({ name }) => name)]
  if (!isCount(count) || !texts.every((text) => text.isWellFormed())) {
    throw new StorageError('invalid_value', 'A record needs an integer count of at least 1 and well-formed Unicode.')
  }
  for (const [label, labelled] of Object.entries(labels)) {
    if (label && isCount(labelled) && labelled <= count) continue
    throw new StorageError('invalid_value', 'A label needs a name, and a count from 1 to the number of entries.')
  }
  return { id, dedupeKey, entries, tally: { count, labels, species, days } }
}

function checkRange(range: ItemRange): ItemRange {
  return { ...range, base: checkBase(range.base), limit: checkLimit(range.limit) }
}

function checkBase(base: string): string {
  if (base.endsWith(':')) return base
  throw new StorageError('invalid_key', 'A base of items ends in ":".')
}

function checkLimit(limit: number): number {
  if (isCount(limit)) return limit
  throw new StorageError('invalid_value', 'A limit is an integer of at least 1.')
}
