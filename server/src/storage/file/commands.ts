import { numberOfDay, TallyCounter, type TallyRows } from '../core/collection-tallies.ts'
import {
  type AppendResult,
  type Collection,
  MAX_SPECIES,
  type NewRecord,
  REMOVED_VERSION,
  type RemovedRecord,
} from '../core/types.ts'
import { packedId, packedKey } from './packed.ts'
import { IN_COLLECTION, SCHEMA_VERSION } from './schema.ts'
import type { DatabaseSync } from './sqlite.ts'

interface NumberedCollection extends Collection {
  readonly collection: number
}

interface Sum {
  readonly parts: readonly (string | number)[]
  entries: number
}

function add(sums: Map<string, Sum>, parts: readonly (string | number)[], entries: number): void {
  const key = JSON.stringify(parts)
  const sum = sums.get(key)
  if (sum) sum.entries += entries
  else sums.set(key, { parts, entries })
}

/** Collects the changes that a transaction makes to sums, so that each row is written once. */
class PendingSums {
  readonly collections = new Map<string, Sum>()
  readonly totals = new Map<string, Sum>()
  readonly tallies = new Map<string, Sum>()
  /** Counters by the number of their collection. */
  readonly counters = new Map<number, TallyCounter>()

  /** Adds a record to the sums, or subtracts the record if `sign` is -1. */
  count(at: NumberedCollection, { count, labels }: Pick<NewRecord, 'count' | 'labels'>, sign: 1 | -1): void {
    const { collection, owner, kind, gamemode } = at
    add(this.collections, [collection], sign * count)
    add(this.totals, [owner, kind], sign * count)
    add(this.tallies, [kind, gamemode, ''], sign * count)
    for (const [label, carriers] of Object.entries(labels)) {
      add(this.tallies, [kind, gamemode, label], sign * carriers)
    }
  }

  /** Counts the entries of a record that was added. */
  addEntries(collection: number, entries: string): void {
    const counter = this.counters.get(collection) ?? new TallyCounter()
    this.counters.set(collection, counter.add(entries))
  }

  clear(): void {
    for (const sums of [this.collections, this.totals, this.tallies, this.counters]) sums.clear()
  }
}

function prepareAddRows(db: DatabaseSync) {
  const addToSpecies = db.prepare(
    `INSERT INTO species (collection, name, label, count, first, last) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
      SET count = count + excluded.count, first = min(first, excluded.first), last = max(last, excluded.last)`,
  )
  const addToDay = db.prepare(
    'INSERT INTO days (collection, day, count) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
  )
  return (collection: number, { species, days }: TallyRows): void => {
    for (const { name, label, count, first, last } of species)
      addToSpecies.run(collection, name, label ?? '', count, first, last)
    for (const { day, count } of days) addToDay.run(collection, numberOfDay(day), count)
  }
}

/** Prepares a function that writes and resets pending sums. Call this function before the transaction commits. */
function prepareFlush(db: DatabaseSync): (pending: PendingSums) => void {
  const upsert = 'ON CONFLICT DO UPDATE SET count = count + excluded.count'
  // The SQLite of Node 22.19 cannot bind numbered parameters such as `?1`.
  const addToCollection = db.prepare(
    `UPDATE collections SET count = count + given.entries,
        version = iif(version = '${REMOVED_VERSION}', version, lower(hex(randomblob(12))))
      FROM (SELECT ? AS id, ? AS entries) AS given WHERE collection = given.id`,
  )
  const addToTotal = db.prepare(`INSERT INTO totals (owner, kind, count) VALUES (?, ?, ?) ${upsert}`)
  const addToTally = db.prepare(`INSERT INTO tallies (kind, gamemode, label, count) VALUES (?, ?, ?, ?) ${upsert}`)
  const addRows = prepareAddRows(db)
  return (pending) => {
    const writes = [
      { sums: pending.collections, statement: addToCollection },
      { sums: pending.totals, statement: addToTotal },
      { sums: pending.tallies, statement: addToTally },
    ]
    for (const { sums, statement } of writes) {
      for (const { parts, entries } of sums.values()) statement.run(...parts, entries)
    }
    for (const [collection, counter] of pending.counters) addRows(collection, counter.rows())
    pending.clear()
  }
}

const MAX_KNOWN = 10_000

/**
 * Finds the numbers of owners and collections. A new owner or collection gets the next number, unless the owner is
 * removed.
 */
function prepareNumbers(db: DatabaseSync) {
  const findOwner = db.prepare('SELECT owner, removed FROM owners WHERE id = ?')
  const addOwner = db.prepare('INSERT INTO owners (id) VALUES (?)')
  const findCollection = db.prepare('SELECT collection FROM collections WHERE owner = ? AND kind = ? AND gamemode = ?')
  const addCollection = db.prepare('INSERT INTO collections (owner, kind, gamemode, has_tallies) VALUES (?, ?, ?, 1)')
  /** Known numbers, including those of the current transaction. */
  const known = new Map<string, number>()

  function remember(key: string, number: number): number {
    if (known.size === MAX_KNOWN) known.clear()
    known.set(key, number)
    return number
  }

  return {
    /** Returns `undefined` if the owner is removed. */
    owner(id: string): number | undefined {
      const key = JSON.stringify([id])
      const number = known.get(key)
      if (number !== undefined) return number
      const row = findOwner.get(id)
      return row?.removed ? undefined : remember(key, Number(row?.owner ?? addOwner.run(id).lastInsertRowid))
    },
    collection({ owner, kind, gamemode }: Collection): number {
      const key = JSON.stringify([owner, kind, gamemode])
      const number = known.get(key)
      if (number !== undefined) return number
      const existing = findCollection.get(owner, kind, gamemode)?.collection
      return remember(key, Number(existing ?? addCollection.run(owner, kind, gamemode).lastInsertRowid))
    },
    forget: () => known.clear(),
  }
}

type Numbers = ReturnType<typeof prepareNumbers>

/** Adds a record of an owner who is not removed. */
function prepareAddRecord(db: DatabaseSync, pending: PendingSums, numbers: Numbers) {
  const addRecord = db.prepare('INSERT INTO records (collection, count, labels, id, entries) VALUES (?, ?, ?, ?, ?)')
  return (place: Collection, { id, count, labels, entries }: Omit<NewRecord, 'dedupeKey'>): void => {
    const collection = numbers.collection(place)
    addRecord.run(collection, count, JSON.stringify(labels), packedId.toColumn(id), entries)
    pending.count({ ...place, collection }, { count, labels }, 1)
    pending.addEntries(collection, entries)
  }
}

type AddRecord = ReturnType<typeof prepareAddRecord>

function prepareAppend(db: DatabaseSync, numbers: Numbers, addRecord: AddRecord) {
  const findToken = db.prepare('SELECT id FROM tokens WHERE owner = ? AND dedupe_key = ?')
  const addToken = db.prepare('INSERT INTO tokens (owner, dedupe_key, id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  return (place: Collection, record: NewRecord): AppendResult => {
    const { id, dedupeKey } = record
    const owner = numbers.owner(place.owner)
    if (owner === undefined) return { outcome: 'owner_removed' }
    if (dedupeKey !== null) {
      const key = packedKey.toColumn(dedupeKey)
      if (Number(addToken.run(owner, key, packedId.toColumn(id)).changes) === 0) {
        return { outcome: 'replayed', id: packedId.fromColumn(findToken.get(owner, key)?.id) }
      }
    }
    addRecord(place, record)
    return { outcome: 'stored', id }
  }
}

/** Removes the record with an id from a collection and returns the record, if it exists. */
function prepareTakeRecord(db: DatabaseSync, pending: PendingSums) {
  // The `+` makes SQLite use the index of ids instead of searching the whole collection.
  const remove = db.prepare(
    `DELETE FROM records WHERE id = ? AND +${IN_COLLECTION} RETURNING collection, count, labels, entries`,
  )
  const removeSpecies = db.prepare('DELETE FROM species WHERE collection = ? AND name = ? AND label = ?')
  const invalidateTallies = db.prepare('UPDATE collections SET has_tallies = 0 WHERE collection = ?')
  return (place: Collection, id: string) => {
    const removed = remove.get(packedId.toColumn(id), place.owner, place.kind, place.gamemode)
    if (!removed) return undefined
    const collection = Number(removed.collection)
    const entries = String(removed.entries)
    const record = { id, count: Number(removed.count), labels: JSON.parse(String(removed.labels)), entries }
    pending.count({ ...place, collection }, record, -1)
    invalidateTallies.run(collection)
    // A backup must not contain the names of removed catches, even if no read triggers a recount.
    for (const { name, label } of new TallyCounter().add(entries).rows().species) {
      removeSpecies.run(collection, name, label ?? '')
    }
    return record
  }
}

/** Stores the species and days of a collection, unless the collection has changed since the count. */
function prepareSetTallies(db: DatabaseSync, pending: PendingSums) {
  const find = db.prepare('SELECT collection, version FROM collections WHERE owner = ? AND kind = ? AND gamemode = ?')
  const removeSpecies = db.prepare('DELETE FROM species WHERE collection = ?')
  const removeDays = db.prepare('DELETE FROM days WHERE collection = ?')
  const validate = db.prepare('UPDATE collections SET has_tallies = 1 WHERE collection = ?')
  const addRows = prepareAddRows(db)
  return ({ owner, kind, gamemode }: Collection, version: string, rows: TallyRows): void => {
    const stored = find.get(owner, kind, gamemode)
    const collection = Number(stored?.collection)
    // If this transaction changed the collection, the new version is not stored yet.
    if (stored?.version !== version || pending.collections.has(JSON.stringify([collection]))) return
    // A player can have millions of species. Removing all rows would delay all writes, and more rows than the maximum
    // already show that there are too many.
    if (rows.species.length <= MAX_SPECIES) removeSpecies.run(collection)
    removeDays.run(collection)
    addRows(collection, rows)
    validate.run(collection)
  }
}

/**
 * Maximum number of records, tokens, species or days that one transaction removes, because other writes wait for the
 * transaction.
 */
const REMOVED_AT_ONCE = 250

/** Removes a part of the data of an owner, and returns whether more data remains. */
function prepareRemoveOwner(db: DatabaseSync, pending: PendingSums, numbers: Numbers) {
  const flush = prepareFlush(db)
  const refuseAppends = db.prepare(
    'INSERT INTO owners (id, removed) VALUES (?, 1) ON CONFLICT DO UPDATE SET removed = 1',
  )
  // Event streams and caches of the collections end with the first part of the removal.
  const markRemoved = db.prepare(`UPDATE collections SET version = '${REMOVED_VERSION}' WHERE owner = ?`)
  const findCollections = db.prepare('SELECT collection, kind, gamemode FROM collections WHERE owner = ?')
  const removeRecords = db.prepare(
    `DELETE FROM records WHERE sequence IN (
      SELECT sequence FROM collections JOIN records USING (collection) WHERE owner = ? LIMIT ${REMOVED_AT_ONCE}
    ) RETURNING collection, count, labels`,
  )
  const removeTokens = db.prepare(
    `DELETE FROM tokens WHERE (owner, dedupe_key) IN (
      SELECT owner, dedupe_key FROM owners JOIN tokens USING (owner) WHERE owners.id = ? LIMIT ${REMOVED_AT_ONCE}
    )`,
  )
  const removeSpecies = db.prepare(
    `DELETE FROM species WHERE (collection, name, label) IN (
      SELECT collection, name, label FROM collections JOIN species USING (collection) WHERE owner = ?
      LIMIT ${REMOVED_AT_ONCE}
    )`,
  )
  const removeDays = db.prepare(
    `DELETE FROM days WHERE (collection, day) IN (
      SELECT collection, day FROM collections JOIN days USING (collection) WHERE owner = ? LIMIT ${REMOVED_AT_ONCE}
    )`,
  )
  const removeSums = ['collections', 'totals'].map((table) => db.prepare(`DELETE FROM ${table} WHERE owner = ?`))

  return (owner: string): boolean => {
    numbers.forget()
    refuseAppends.run(owner)
    markRemoved.run(owner)
    const places = new Map(
      findCollections.all(owner).map(({ collection, kind, gamemode }) => {
        const number = Number(collection)
        return [number, { collection: number, owner, kind: String(kind), gamemode: String(gamemode) }]
      }),
    )
    // Discards the counters of appends in this transaction: the rows of the collection are deleted, and its number may be
    // reused.
    for (const collection of places.keys()) pending.counters.delete(collection)
    const records = removeRecords.all(owner)
    for (const { collection, count, labels } of records) {
      const place = places.get(Number(collection))
      if (place) pending.count(place, { count: Number(count), labels: JSON.parse(String(labels)) }, -1)
    }
    const others = [removeTokens, removeSpecies, removeDays].map((statement) => Number(statement.run(owner).changes))
    if ([records.length, ...others].includes(REMOVED_AT_ONCE)) return true
    flush(pending)
    for (const statement of removeSums) statement.run(owner)
    return false
  }
}

/**
 * Prepares a function for each type of write. Writes change sums only in `pending`, which is flushed before the
 * transaction commits.
 */
function prepareWrites(db: DatabaseSync, pending: PendingSums, numbers: Numbers) {
  const setItem = db.prepare(
    'INSERT INTO items (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  const addItem = db.prepare('INSERT INTO items (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING')
  const removeItem = db.prepare('DELETE FROM items WHERE key = ?')
  const removeItemIf = db.prepare('DELETE FROM items WHERE key = ? AND value = ?')
  const replaceItemIf = db.prepare('UPDATE items SET value = ? WHERE key = ? AND value = ?')
  const addRecord = prepareAddRecord(db, pending, numbers)
  const takeRecord = prepareTakeRecord(db, pending)
  const findCount = db.prepare(`SELECT count FROM records WHERE id = ? AND +${IN_COLLECTION}`)
  return {
    append: prepareAppend(db, numbers, addRecord),
    removeRecord: (place: Collection, id: string): RemovedRecord | undefined => {
      const record = takeRecord(place, id)
      return record && { count: record.count, entries: record.entries }
    },
    moveRecord: (place: Collection, id: string, gamemode: string): number => {
      const record = takeRecord(place, id)
      if (!record) return Number(findCount.get(packedId.toColumn(id), place.owner, place.kind, gamemode)?.count ?? 0)
      addRecord({ ...place, gamemode }, record)
      return record.count
    },
    setTallies: prepareSetTallies(db, pending),
    removeOwner: prepareRemoveOwner(db, pending, numbers),
    setItem: (key: string, value: string) => void setItem.run(key, value),
    setItemIfAbsent: (key: string, value: string) => Number(addItem.run(key, value).changes) === 1,
    removeItem: (key: string) => void removeItem.run(key),
    removeItemIf: (key: string, value: string) => Number(removeItemIf.run(key, value).changes) === 1,
    replaceItemIf: (key: string, expected: string, value: string) =>
      Number(replaceItemIf.run(value, key, expected).changes) === 1,
    /** Checks that the worker responds. */
    ping() {},
    /**
     * Checks that the disk accepts writes: SQLite writes the first page of the file even if the pragma does not change
     * the page.
     */
    probe: () => db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`),
  }
}

type Writes = ReturnType<typeof prepareWrites>
export type WriteType = keyof Writes
export type WriteArgs<Type extends WriteType> = Parameters<Writes[Type]>
export type WriteResult<Type extends WriteType = WriteType> = ReturnType<Writes[Type]>

/** A write, in the form that is sent to the worker. */
export type Write = { [Type in WriteType]: { readonly type: Type; readonly args: WriteArgs<Type> } }[WriteType]

/** The collections that a move changes. */
export function movedBetween([collection, , gamemode]: WriteArgs<'moveRecord'>): readonly Collection[] {
  return [collection, { ...collection, gamemode }]
}

/** Runs writes in a transaction that the caller starts and commits. */
export interface Commands {
  run(writes: readonly Write[]): WriteResult[]
  /** Forgets the numbers of a failed transaction, because these numbers were not stored. */
  forget(): void
}

export function prepareCommands(db: DatabaseSync): Commands {
  const pending = new PendingSums()
  const numbers = prepareNumbers(db)
  const run = prepareWrites(db, pending, numbers) as Record<WriteType, (...args: Write['args']) => WriteResult>
  const flush = prepareFlush(db)
  return {
    run(writes) {
      const results = writes.map(({ type, args }) => run[type](...args))
      flush(pending)
      return results
    },
    forget() {
      pending.clear()
      numbers.forget()
    },
  }
}
