// A complete custom storage driver that stores everything in memory. Copy this file, replace the lists with a database, and
// let `describeStorage` show the missing parts (test/storage-driver.integration.test.ts).
import {
  type Change,
  type Collection,
  createChanges,
  createWindows,
  type FishStorage,
  type NewRecord,
  pageOf,
  REMOVED_VERSION,
  readInChunks,
  type StorageDriver,
  StorageError,
  type StoredRecord,
  TallySum,
  wrapDriver,
} from '@fish-crab/server/storage'

interface Row extends NewRecord {
  readonly collection: Collection
  readonly sequence: number
}

/** Creates a storage in the memory of this process. */
export function createMapStorage(): FishStorage {
  return wrapDriver(mapDriver())
}

const closedError = () => new StorageError('closed', 'The storage was closed. Open it again.')

function mapDriver(): StorageDriver {
  const items = new Map<string, string>()
  let rows: Row[] = [] // in the order of their sequences
  const versions = new Map<string, string>() // by collection
  const tokens = new Map<string, string>() // `owner token` → record id; stays when the record is removed
  const removed = new Set<string>() // owners
  const windows = createWindows()
  // Event streams read a change as soon as it is emitted. If several processes share a database, emit it in all of them.
  const changes = createChanges()
  let sequence = 0
  let closed = false

  // A closed storage rejects every operation. In one process and without `await`, each operation is atomic. In a
  // database, each operation must be one transaction that is durable before its promise resolves.
  const open = async <Result>(operation: () => Result): Promise<Result> => {
    if (closed) throw closedError()
    return operation()
  }
  const keyOf = ({ owner, kind, gamemode }: Collection) => JSON.stringify([owner, kind, gamemode])
  const rowsOf = (collection: Collection) => rows.filter((row) => keyOf(row.collection) === keyOf(collection))
  const find = (collection: Collection, id: string) => rowsOf(collection).find((row) => row.id === id)
  const toRecord = ({ sequence, id, entries, tally: { count } }: Row): StoredRecord => ({
    sequence,
    id,
    count,
    entries,
  })
  const keys = (base = '') => [...items.keys()].filter((key) => key.startsWith(base)).sort()

  const touch = (collection: Collection, removal?: Pick<Change, 'removed' | 'entry'>) => {
    versions.set(keyOf(collection), crypto.randomUUID())
    changes.emit({ ...collection, ...removal })
  }
  const add = (collection: Collection, record: NewRecord) => {
    sequence += 1
    rows.push({ ...record, collection, sequence })
    touch(collection)
  }
  const sumOf = <Key>(pairs: Iterable<readonly [key: Key, count: number]>) => {
    const sums = new Map<string, number>()
    for (const [key, count] of pairs) sums.set(JSON.stringify(key), (sums.get(JSON.stringify(key)) ?? 0) + count)
    return Array.from(sums, ([key, count]) => [JSON.parse(key) as Key, count] as const)
  }

  return {
    name: 'map',
    durability: 'Nothing is durable: all data is lost when the process exits.',
    ping: () => open(() => {}),

    append: (collection, record) =>
      open(() => {
        if (removed.has(collection.owner)) return { outcome: 'owner_removed' }
        const token = JSON.stringify([collection.owner, record.dedupeKey])
        const known = record.dedupeKey === null ? undefined : tokens.get(token)
        if (known !== undefined) return { outcome: 'replayed', id: known }
        if (record.dedupeKey !== null) tokens.set(token, record.id)
        add(collection, record)
        return { outcome: 'stored', id: record.id }
      }),
    useToken: (owner, { dedupeKey, id }) =>
      open(() => {
        const token = JSON.stringify([owner, dedupeKey])
        if (!removed.has(owner) && !tokens.has(token)) tokens.set(token, id)
      }),
    findRecord: (owner, dedupeKey) => open(() => tokens.get(JSON.stringify([owner, dedupeKey]))),
    findById: (collection, id) =>
      open(() =>
        rowsOf(collection)
          .map(toRecord)
          .find((record) => record.id === id),
      ),
    read(collection, range) {
      const records = () => {
        if (closed) throw closedError()
        return rowsOf(collection).map(toRecord)
      }
      const last = () => records().at(-1)?.sequence ?? 0
      const between = (from: number, to: number) =>
        records().filter(({ sequence }) => sequence >= from && sequence <= to)
      return readInChunks({ last, between }, range)
    },
    version: (one) => open(() => (removed.has(one.owner) ? REMOVED_VERSION : (versions.get(keyOf(one)) ?? 'empty'))),
    latest: (collection, count) => open(() => rowsOf(collection).slice(-count).reverse().map(toRecord)),
    onChange: changes.onChange,
    signalChange: async (owner) => changes.emit({ owner }),
    removeEntriesIf: (collection, { record: { id, count }, remaining }) =>
      open(() => {
        const row = find(collection, id)
        if (row?.tally.count !== count) return false
        rows = remaining
          ? rows.map((one) => (one === row ? { ...row, entries: remaining.entries, tally: remaining.tally } : one))
          : rows.filter((one) => one !== row)
        touch(collection, { removed: id, ...(remaining ? { entry: remaining.entry } : {}) })
        return true
      }),
    moveRecordIf: (collection, { record: { id, count }, gamemode }) =>
      open(() => {
        const row = find(collection, id)
        if (row?.tally.count !== count) return false
        rows = rows.filter((one) => one !== row)
        touch(collection, { removed: id })
        add({ ...collection, gamemode }, row)
        return true
      }),
    removeOwner: (owner) =>
      open(() => {
        removed.add(owner)
        rows = rows.filter(({ collection }) => collection.owner !== owner)
        for (const token of tokens.keys()) if (JSON.parse(token)[0] === owner) tokens.delete(token)
        changes.emit({ owner })
      }),
    async *dump(owner) {
      const own = await open(() => rows.filter(({ collection }) => collection.owner === owner))
      yield own.map(({ collection, sequence: _, ...record }) => ({ collection, record }))
      // The tokens of removed records are part of the dump, because they must stay known.
      const ids = new Set(own.map(({ id }) => id))
      for (const [token, id] of tokens) {
        const [of, dedupeKey] = JSON.parse(token)
        if (of === owner && !ids.has(id)) yield [{ token: { dedupeKey, id } }]
      }
    },

    // A database should store these sums and update them in the same transaction as the records.
    tallies: () =>
      open(() => {
        const counts = rows.flatMap(({ collection: { kind, gamemode }, tally }) =>
          [[null, tally.count] as const, ...Object.entries(tally.labels)].map(
            ([label, count]) => [{ kind, gamemode, label }, count] as const,
          ),
        )
        return sumOf(counts).map(([group, count]) => ({ ...group, count }))
      }),
    collectionTallies: (collection) =>
      open(() =>
        rowsOf(collection)
          .reduce((sum, { tally }) => sum.add(tally), new TallySum())
          .tallies(),
      ),
    leaders: ({ kind, gamemode, limit }) =>
      open(() => {
        const isCounted = ({ collection }: Row) =>
          collection.kind === kind && (gamemode === undefined || collection.gamemode === gamemode)
        return sumOf(rows.filter(isCounted).map(({ collection, tally }) => [collection.owner, tally.count] as const))
          .map(([owner, count]) => ({ owner, count }))
          .sort((one, other) => other.count - one.count || (one.owner < other.owner ? -1 : 1))
          .slice(0, limit)
      }),

    hasItem: (key) => open(() => items.has(key)),
    getItem: (key) => open(() => items.get(key) ?? null),
    setItem: (key, value) => open(() => void items.set(key, value)),
    removeItem: (key) => open(() => void items.delete(key)),
    getKeys: (base) => open(() => keys(base)),
    setItemIfAbsent: (key, value) => open(() => !items.has(key) && Boolean(items.set(key, value))),
    removeItemIf: (key, value) => open(() => items.get(key) === value && items.delete(key)),
    replaceItemIf: (key, expected, value) => open(() => items.get(key) === expected && Boolean(items.set(key, value))),
    listItems: ({ base, after = '', limit, contains = '' }) =>
      open(() => {
        const found = keys(base).filter((key) => key > after && key.slice(base.length).includes(contains))
        return pageOf(
          found.slice(0, limit + 1).map((key) => ({ key, value: items.get(key) ?? '' })),
          limit,
        )
      }),
    countItems: (base) => open(() => keys(base).length),

    countInWindow: (key, window) => open(() => windows.count(key, window)),
    peekWindow: (key, window) => open(() => windows.peek(key, window)),
    dispose: async () => {
      closed = true
    },
  }
}
