import {
  type AppendResult,
  type Collection,
  type FoundTimes,
  type NewRecord,
  REMOVED_VERSION,
  type RecordMove,
  type RecordRemoval,
  type UsedToken,
} from '../core/types.ts'
import { packedId, packedKey } from './packed.ts'
import { IN_COLLECTION, SCHEMA_VERSION } from './schema.ts'
import type { DatabaseSync } from './sqlite.ts'
import { prepareTallyWrites, type TallyWrites } from './tallies.ts'

const MAX_KNOWN = 10_000

/**
 * Finds the numbers of owners and collections. A new owner or collection gets the next number, unless the owner is
 * removed.
 */
function prepareNumbers(db: DatabaseSync) {
  const findOwner = db.prepare('SELECT owner, removed FROM owners WHERE id = ?')
  const addOwner = db.prepare('INSERT INTO owners (id) VALUES (?)')
  const findCollection = db.prepare('SELECT collection FROM collections WHERE owner = ? AND kind = ? AND gamemode = ?')
  const addCollection = db.prepare('INSERT INTO collections (owner, kind, gamemode) VALUES (?, ?, ?)')
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

/** Prepares writes of records of owners who are not removed. */
function prepareRecords(db: DatabaseSync, numbers: Numbers, tallies: TallyWrites) {
  const addRecord = db.prepare('INSERT INTO records (collection, count, labels, id, entries) VALUES (?, ?, ?, ?, ?)')
  // The `+` makes SQLite use the index of ids instead of searching the whole collection.
  const isRecord = `id = ? AND count = ? AND +${IN_COLLECTION}`
  const removeRecord = db.prepare(`DELETE FROM records WHERE ${isRecord} RETURNING collection, entries`)
  const reduceRecord = db.prepare(
    `UPDATE records SET count = ?, labels = ?, entries = ? WHERE ${isRecord} RETURNING collection`,
  )
  const keyOf = (collection: Collection, { id, count }: RecordRemoval['record']) =>
    [packedId.toColumn(id), count, collection.owner, collection.kind, collection.gamemode] as const

  function add(collection: Collection, { id, entries, tally }: Omit<NewRecord, 'dedupeKey'>): void {
    const number = numbers.collection(collection)
    addRecord.run(number, tally.count, JSON.stringify(tally.labels), packedId.toColumn(id), entries)
    tallies.add({ ...collection, collection: number }, tally)
  }

  return {
    add,
    removeEntriesIf(collection: Collection, { record, tally, remaining }: RecordRemoval): boolean {
      const key = keyOf(collection, record)
      const row = remaining
        ? reduceRecord.get(remaining.tally.count, JSON.stringify(remaining.tally.labels), remaining.entries, ...key)
        : removeRecord.get(...key)
      if (row) tallies.subtract({ ...collection, collection: Number(row.collection) }, tally)
      return row !== undefined
    },
    moveRecordIf(collection: Collection, { record, tally, gamemode }: RecordMove): boolean {
      const row = removeRecord.get(...keyOf(collection, record))
      if (!row) return false
      tallies.subtract({ ...collection, collection: Number(row.collection) }, tally)
      add({ ...collection, gamemode }, { id: record.id, entries: String(row.entries), tally })
      return true
    },
  }
}

/** Marks tokens as used. */
function prepareTokens(db: DatabaseSync) {
  const find = db.prepare('SELECT id FROM tokens WHERE owner = ? AND dedupe_key = ?')
  const add = db.prepare('INSERT INTO tokens (owner, dedupe_key, id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  /** Returns the id of the record that was stored for the token before, if any. */
  return (owner: number, { dedupeKey, id }: UsedToken): string | undefined => {
    const key = packedKey.toColumn(dedupeKey)
    if (Number(add.run(owner, key, packedId.toColumn(id)).changes) === 1) return undefined
    return packedId.fromColumn(find.get(owner, key)?.id)
  }
}

/** Maximum number of rows that one transaction removes from each table, because other writes wait for the transaction. */
const REMOVED_AT_ONCE = 250

/** Removes a part of the data of an owner, and returns whether more data remains. */
function prepareRemoveOwner(db: DatabaseSync, numbers: Numbers, tallies: TallyWrites) {
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
  const removeSpeciesAndDays = db.prepare(
    `DELETE FROM species_and_days WHERE (collection, name, label) IN (
      SELECT collection, name, label FROM collections JOIN species_and_days USING (collection) WHERE owner = ?
      LIMIT ${REMOVED_AT_ONCE}
    )`,
  )
  const removeCollections = db.prepare('DELETE FROM collections WHERE owner = ?')

  return (owner: string): boolean => {
    numbers.forget()
    refuseAppends.run(owner)
    markRemoved.run(owner)
    const collections = new Map(
      findCollections.all(owner).map(({ collection, kind, gamemode }) => {
        const number = Number(collection)
        return [number, { collection: number, owner, kind: String(kind), gamemode: String(gamemode) }]
      }),
    )
    // The rows of the collections are deleted, and their numbers may be reused.
    for (const collection of collections.keys()) tallies.discard(collection)
    const records = removeRecords.all(owner)
    for (const { collection, count, labels } of records) {
      const found = collections.get(Number(collection))
      if (found) tallies.count(found, { count: Number(count), labels: JSON.parse(String(labels)) }, -1)
    }
    const others = [removeTokens, removeSpeciesAndDays].map((statement) => Number(statement.run(owner).changes))
    if ([records.length, ...others].includes(REMOVED_AT_ONCE)) return true
    tallies.flush()
    removeCollections.run(owner)
    return false
  }
}

/** Prepares a function for each type of write. */
function prepareWrites(db: DatabaseSync, numbers: Numbers, tallies: TallyWrites) {
  const setItem = db.prepare(
    'INSERT INTO items (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  const addItem = db.prepare('INSERT INTO items (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING')
  const removeItem = db.prepare('DELETE FROM items WHERE key = ?')
  const removeItemIf = db.prepare('DELETE FROM items WHERE key = ? AND value = ?')
  const replaceItemIf = db.prepare('UPDATE items SET value = ? WHERE key = ? AND value = ?')
  const records = prepareRecords(db, numbers, tallies)
  const useToken = prepareTokens(db)
  return {
    append: (collection: Collection, record: NewRecord): AppendResult => {
      const { id, dedupeKey } = record
      const owner = numbers.owner(collection.owner)
      if (owner === undefined) return { outcome: 'owner_removed' }
      const existing = dedupeKey === null ? undefined : useToken(owner, { dedupeKey, id })
      if (existing !== undefined) return { outcome: 'replayed', id: existing }
      records.add(collection, record)
      return { outcome: 'stored', id }
    },
    useToken: (owner: string, token: UsedToken): void => {
      const number = numbers.owner(owner)
      if (number !== undefined) useToken(number, token)
    },
    removeEntriesIf: records.removeEntriesIf,
    moveRecordIf: records.moveRecordIf,
    setTimes: (collection: Collection, times: readonly FoundTimes[]): void =>
      tallies.setTimes(numbers.collection(collection), times),
    removeOwner: prepareRemoveOwner(db, numbers, tallies),
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

/** The collections that a write of records changes. */
export function changedBy({ type, args }: Write): readonly Collection[] {
  if (type === 'append' || type === 'removeEntriesIf') return [args[0]]
  if (type === 'moveRecordIf') return [args[0], { ...args[0], gamemode: args[1].gamemode }]
  return []
}

/** Runs writes in a transaction that the caller starts and commits. */
export interface Commands {
  run(writes: readonly Write[]): WriteResult[]
  /** Forgets the numbers of a failed transaction, because these numbers were not stored. */
  forget(): void
}

export function prepareCommands(db: DatabaseSync): Commands {
  const tallies = prepareTallyWrites(db)
  const numbers = prepareNumbers(db)
  const run = prepareWrites(db, numbers, tallies) as Record<WriteType, (...args: Write['args']) => WriteResult>
  return {
    run(writes) {
      const results = writes.map(({ type, args }) => run[type](...args))
      tallies.flush()
      return results
    },
    forget() {
      tallies.clear()
      numbers.forget()
    },
  }
}
