// A complete custom storage driver that stores everything in Maps. Copy this file, replace the Maps with a database,
// and let `describeStorage` show the missing parts (test/storage-driver.test.ts).
import {
  type Change,
  type Collection,
  createWindows,
  type FishStorage,
  type NewRecord,
  REMOVED_VERSION,
  type StorageDriver,
  StorageError,
  type StoredRecord,
  TallyCounter,
  wrapDriver,
} from '@fish-crab/server/storage'

type Stored = NewRecord & { readonly sequence: number }

/** Creates a storage in the memory of this process. */
export function createMapStorage(): FishStorage {
  return wrapDriver(mapDriver())
}

function mapDriver(): StorageDriver {
  const items = new Map<string, string>()
  const collections = new Map<string, { readonly place: Collection; version: string; records: Stored[] }>()
  const tokens = new Map<string, string>() // `owner token` → record id; kept when the record is removed
  const removed = new Set<string>() // owners
  const windows = createWindows()
  const listeners = new Set<(change?: Change) => void>()
  let sequence = 0
  let closed = false

  // A closed storage rejects every operation. In one process and without `await`, each operation is atomic. In a
  // database, each operation must be one transaction that is durable before its promise resolves.
  const open = async <Result>(operation: () => Result): Promise<Result> => {
    if (closed) throw new StorageError('closed', 'The storage was closed. Open it again.')
    return operation()
  }
  // Event streams read a change as soon as a listener is called. If several processes share a database, call the
  // listeners of all processes.
  const changed = (change: Change) => {
    for (const listener of listeners) listener(change)
  }
  const keyOf = ({ owner, kind, gamemode }: Collection) => JSON.stringify([owner, kind, gamemode])
  const keys = (base = '') => [...items.keys()].filter((key) => key.startsWith(base)).sort()
  const entriesOf = (records: readonly Stored[]) => records.reduce((sum, { count }) => sum + count, 0)

  const add = (place: Collection, record: NewRecord) => {
    const collection = collections.get(keyOf(place)) ?? { place, version: '', records: [] }
    collections.set(keyOf(place), collection)
    sequence += 1
    collection.records.push({ ...record, sequence })
    collection.version = crypto.randomUUID()
    changed(place)
  }
  const take = (place: Collection, id: string) => {
    const collection = collections.get(keyOf(place))
    const record = collection?.records.find((one) => one.id === id)
    if (!collection || !record) return undefined
    collection.records = collection.records.filter((one) => one !== record)
    collection.version = crypto.randomUUID()
    changed({ ...place, removed: id })
    return record
  }

  const stored = ({ sequence, id, count, entries }: StoredRecord): StoredRecord => ({ sequence, id, count, entries })

  return {
    name: 'map',
    durability: 'Nothing is durable: all data is lost when the process exits.',
    ping: () => open(() => {}),

    append: (place, record) =>
      open(() => {
        if (removed.has(place.owner)) return { outcome: 'owner_removed' }
        const token = JSON.stringify([place.owner, record.dedupeKey])
        const known = record.dedupeKey === null ? undefined : tokens.get(token)
        if (known !== undefined) return { outcome: 'replayed', id: known }
        if (record.dedupeKey !== null) tokens.set(token, record.id)
        add(place, record)
        return { outcome: 'stored', id: record.id }
      }),
    findRecord: (owner, dedupeKey) => open(() => tokens.get(JSON.stringify([owner, dedupeKey]))),
    async *read(place, { from = 0, entries = Number.POSITIVE_INFINITY } = {}) {
      // The read uses a copy from its start, so a slow reader does not see later records.
      const records = await open(() => [...(collections.get(keyOf(place))?.records ?? [])])
      let [taken, characters] = [0, 0]
      let chunk: StoredRecord[] = []
      for (const record of records) {
        if (record.sequence < from) continue
        if (taken >= entries) break
        chunk.push(stored(record))
        taken += record.count
        characters += record.entries.length
        if (chunk.length < 500 && characters < 256 * 1024) continue
        yield await open(() => chunk)
        chunk = []
        characters = 0
      }
      if (chunk.length > 0) yield await open(() => chunk)
    },
    version: (place) =>
      open(() => (removed.has(place.owner) ? REMOVED_VERSION : collections.get(keyOf(place))?.version || 'empty')),
    latest: (place, count) =>
      open(() => (collections.get(keyOf(place))?.records ?? []).slice(-count).reverse().map(stored)),
    onChange: (listener) => {
      const own = (change?: Change) => listener(change)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    removeRecord: (place, id) =>
      open(() => {
        const record = take(place, id)
        return record && { count: record.count, entries: record.entries }
      }),
    moveRecord: (place, id, gamemode) =>
      open(() => {
        const [target, record] = [{ ...place, gamemode }, take(place, id)]
        if (!record) return collections.get(keyOf(target))?.records.find((one) => one.id === id)?.count ?? 0
        add(target, record)
        return record.count
      }),
    removeOwner: (owner) =>
      open(() => {
        removed.add(owner)
        for (const [key, { place }] of collections) if (place.owner === owner) collections.delete(key)
        for (const token of tokens.keys()) if (JSON.parse(token)[0] === owner) tokens.delete(token)
        changed({ owner })
      }),
    async *dump(owner) {
      const own = await open(() => [...collections.values()].filter(({ place }) => place.owner === owner))
      for (const { place: collection, records } of own) {
        yield records.map(({ sequence: _, ...record }) => ({ collection, record }))
      }
      // The tokens of removed records are part of the dump, because they must stay known.
      const stored = new Set(own.flatMap(({ records }) => records.map(({ id }) => id)))
      for (const [token, id] of tokens) {
        const [of, dedupeKey] = JSON.parse(token)
        if (of === owner && !stored.has(id)) yield [{ token: { dedupeKey, id } }]
      }
    },

    // A database should store these sums and update them in the same transaction as the records.
    tallies: () =>
      open(() => {
        const sums = new Map<string, number>()
        const add = (tally: readonly [string, string, string | null], count: number) => {
          sums.set(JSON.stringify(tally), (sums.get(JSON.stringify(tally)) ?? 0) + count)
        }
        for (const { place, records } of collections.values()) {
          for (const { count, labels } of records) {
            add([place.kind, place.gamemode, null], count)
            for (const [label, carriers] of Object.entries(labels)) add([place.kind, place.gamemode, label], carriers)
          }
        }
        return [...sums].map(([tally, count]) => {
          const [kind, gamemode, label] = JSON.parse(tally)
          return { kind, gamemode, label, count }
        })
      }),
    collectionTallies: (place) =>
      open(() => {
        const counter = new TallyCounter()
        for (const { entries } of collections.get(keyOf(place))?.records ?? []) counter.add(entries)
        return counter.tallies()
      }),
    leaders: ({ kind, gamemode, limit }) =>
      open(() => {
        const counts = new Map<string, number>()
        for (const { place, records } of collections.values()) {
          if (place.kind !== kind || (gamemode !== undefined && place.gamemode !== gamemode)) continue
          counts.set(place.owner, (counts.get(place.owner) ?? 0) + entriesOf(records))
        }
        return [...counts]
          .map(([owner, count]) => ({ owner, count }))
          .filter(({ count }) => count > 0)
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
        const page = found.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map((key) => ({ key, value: items.get(key) ?? '' })),
          ...(found.length > limit && last !== undefined ? { next: last } : {}),
        }
      }),
    countItems: (base) => open(() => keys(base).length),

    countInWindow: (key, window) => open(() => windows.count(key, window)),
    peekWindow: (key, window) => open(() => windows.peek(key, window)),
    dispose: async () => {
      closed = true
    },
  }
}
