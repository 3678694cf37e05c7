import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { PayloadEntry } from '../../client/entries.ts'
import type { Gamemode } from '../../contract/gamemodes.ts'
import type { Kind } from '../../contract/kinds.ts'
import type { Collection, LeaseHolder, StoredCatch } from '../store.ts'

/** A value that SQLite gives back for the columns of an outbox. */
export type Row = Record<string, string | number | null>

/** The columns that {@link toCatch} reads. */
export const CATCH_COLUMNS = `catches.seq, catches.collection, catches.entry, catches.added_at, catches.key,
  catches.batch_limit, collections.kind, collections.user, collections.gamemode`

/** Where those columns come from. */
export const CATCHES = 'catches JOIN collections ON collections.id = catches.collection'

/** A catch from its row. */
export function toCatch(row: Row): StoredCatch {
  return {
    seq: row.seq as number,
    collection: row.collection as string,
    ...toCollection(row),
    entry: JSON.parse(row.entry as string) as PayloadEntry,
    addedAt: row.added_at as number,
    ...(row.key === null ? {} : { key: row.key as string }),
    ...(row.batch_limit === null ? {} : { batchLimit: row.batch_limit as number }),
  }
}

/** Whose row it is. */
export function toCollection(row: Row): Collection {
  return { kind: row.kind as Kind, user: row.user as string, gamemode: row.gamemode as Gamemode }
}

/** A statement that answers rows. */
export function prepareQuery(db: DatabaseSync, sql: string): (...values: SQLInputValue[]) => Row[] {
  const statement = db.prepare(sql)
  return (...values) => statement.all(...values) as Row[]
}

/** A statement that changes rows, and answers how many. */
export function prepareChange(db: DatabaseSync, sql: string): (...values: SQLInputValue[]) => number {
  const statement = db.prepare(sql)
  return (...values) => Number(statement.run(...values).changes)
}

/** Asks whether an owner holds the lease of a collection. */
export function prepareHolds(db: DatabaseSync): (holder: LeaseHolder) => boolean {
  const find = prepareQuery(db, 'SELECT 1 FROM collections WHERE id = ? AND owner = ?')
  return ({ collection, owner }) => find(collection, owner).length > 0
}

/** Removes the batches of a collection that have lost their last catch. */
export function prepareRemoveEmptyBatches(db: DatabaseSync): (collection: string) => number {
  return prepareChange(
    db,
    'DELETE FROM batches WHERE collection = ? AND NOT EXISTS (SELECT 1 FROM catches WHERE batch = batches.id)',
  )
}
