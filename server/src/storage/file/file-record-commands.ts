import type { DatabaseSync } from 'node:sqlite'
import type { AppendResult, Collection, NewRecord } from '../types.ts'
import { IN_COLLECTION } from './file-schema.ts'
import { type PendingSums, prepareFlush } from './file-sums.ts'

type Append = (collection: Collection, record: NewRecord, pending: PendingSums) => AppendResult
type RemoveRecord = (collection: Collection, id: string, pending: PendingSums) => boolean
type RemoveOwner = (owner: string, pending: PendingSums) => undefined

/** Prepares the storing of a record, once per token. */
export function prepareAppend(db: DatabaseSync): Append {
  const findRemoved = db.prepare('SELECT 1 FROM removed_owners WHERE owner = ?')
  const findToken = db.prepare('SELECT id FROM tokens WHERE owner = ? AND dedupe_key = ?')
  const findCollection = db.prepare('SELECT collection FROM collections WHERE owner = ? AND kind = ? AND gamemode = ?')
  const addCollection = db.prepare('INSERT INTO collections (owner, kind, gamemode) VALUES (?, ?, ?)')
  const addRecord = db.prepare(
    'INSERT INTO records (collection, count, labels, id, plain, full) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const addToken = db.prepare('INSERT INTO tokens (owner, dedupe_key, id) VALUES (?, ?, ?)')

  return (place, { id, dedupeKey, count, labels, plain, full }, pending) => {
    const { owner, kind, gamemode } = place
    if (findRemoved.get(owner)) return { outcome: 'owner_removed' }
    if (dedupeKey !== null) {
      const first = findToken.get(owner, dedupeKey)
      if (first) return { outcome: 'replayed', id: String(first.id) }
      addToken.run(owner, dedupeKey, id)
    }
    const found = findCollection.get(owner, kind, gamemode)?.collection
    const collection = Number(found ?? addCollection.run(owner, kind, gamemode).lastInsertRowid)
    addRecord.run(collection, count, JSON.stringify(labels), id, plain, full)
    pending.count({ ...place, collection }, { count, labels }, 1)
    return { outcome: 'stored', id }
  }
}

/** Prepares the removal of one record; its token stays. */
export function prepareRemoveRecord(db: DatabaseSync): RemoveRecord {
  // The `+` keeps SQLite from looking through the whole collection instead of using the index of ids.
  const remove = db.prepare(
    `DELETE FROM records WHERE id = ? AND +${IN_COLLECTION} RETURNING collection, count, labels`,
  )
  return (place, id, pending) => {
    const removed = remove.all(id, place.owner, place.kind, place.gamemode)
    for (const { collection, count, labels } of removed) {
      const record = { count: Number(count), labels: JSON.parse(String(labels)) }
      pending.count({ ...place, collection: Number(collection) }, record, -1)
    }
    return removed.length > 0
  }
}

/** Prepares the removal of all that belongs to an owner. */
export function prepareRemoveOwner(db: DatabaseSync): RemoveOwner {
  const flush = prepareFlush(db)
  const subtract = 'ON CONFLICT DO UPDATE SET count = count + excluded.count'
  const statements = [
    `INSERT INTO tallies SELECT kind, gamemode, '', -count FROM collections WHERE owner = ? ${subtract}`,
    `INSERT INTO tallies
     SELECT kind, gamemode, label.key, -sum(label.value)
     FROM collections JOIN records USING (collection), json_each(labels) AS label
     WHERE owner = ? GROUP BY kind, gamemode, label.key ${subtract}`,
    'DELETE FROM records WHERE collection IN (SELECT collection FROM collections WHERE owner = ?)',
    'DELETE FROM collections WHERE owner = ?',
    'DELETE FROM totals WHERE owner = ?',
    'DELETE FROM tokens WHERE owner = ?',
    'INSERT INTO removed_owners (owner) VALUES (?) ON CONFLICT DO NOTHING',
  ].map((sql) => db.prepare(sql))
  return (owner, pending) => {
    // These statements take away what the file says, so it must say all of it.
    flush(pending)
    for (const statement of statements) statement.run(owner)
  }
}
