import type { DatabaseSync } from 'node:sqlite'
import type { OutboxStore } from '../store.ts'
import {
  CATCH_COLUMNS,
  CATCHES,
  prepareChange,
  prepareHolds,
  prepareQuery,
  prepareRemoveEmptyBatches,
  toCatch,
  toCollection,
} from './sqlite-rows.ts'

const WAITING = '(batch IS NULL OR batch IN (SELECT id FROM batches WHERE token IS NOT NULL))'
const LISTED = '(SELECT value FROM json_each(?))'

/** The part of a store that keeps what could not be delivered. */
export function prepareSettingAside(db: DatabaseSync, transaction: <T>(work: () => T) => T) {
  const holds = prepareHolds(db)
  const removeEmptyBatches = prepareRemoveEmptyBatches(db)
  const addBatch = prepareQuery(
    db,
    'INSERT INTO batches (collection, code, message, set_aside_at) VALUES (?, ?, ?, ?) RETURNING id',
  )
  const moveAll = prepareChange(
    db,
    `UPDATE catches SET batch = ?, batch_limit = NULL WHERE collection = ? AND ${WAITING}`,
  )
  const moveSome = prepareChange(
    db,
    `UPDATE catches SET batch = ?, batch_limit = NULL WHERE collection = ? AND ${WAITING} AND seq IN ${LISTED}`,
  )
  const list = prepareQuery(
    db,
    `SELECT batches.id, code, message, set_aside_at, kind, user, gamemode,
        (SELECT count(*) FROM catches WHERE batch = batches.id) AS n
      FROM batches JOIN collections ON collections.id = collection WHERE code IS NOT NULL ORDER BY batches.id`,
  )
  const ofBatch = prepareQuery(db, `SELECT ${CATCH_COLUMNS} FROM ${CATCHES} WHERE batch = ? ORDER BY seq LIMIT ?`)
  const queue = prepareChange(db, 'UPDATE catches SET batch = NULL, batch_limit = NULL WHERE batch = ?')
  const removeCatches = prepareChange(db, 'DELETE FROM catches WHERE batch = ?')
  const removeBatch = prepareChange(db, 'DELETE FROM batches WHERE id = ?')

  /** Ends set-aside batches, and answers how many catches they held. */
  const end = (ids: readonly number[] | undefined, forEach: (id: number) => number) =>
    transaction(() => {
      let count = 0
      for (const { id } of list()) {
        if (ids && !ids.includes(id as number)) continue
        count += forEach(id as number)
        removeBatch(id as number)
      }
      return count
    })

  return {
    addDeadLetter: (holder, which, { code, message }, now) =>
      transaction(() => {
        if (!holds(holder)) return undefined
        const id = addBatch(holder.collection, code, message, now)[0]?.id as number
        const count =
          which === 'all' ? moveAll(id, holder.collection) : moveSome(id, holder.collection, JSON.stringify(which))
        // The new one too, when there was nothing to set aside.
        removeEmptyBatches(holder.collection)
        return count > 0 ? { id, count } : undefined
      }),
    deadLetters: (limit) =>
      transaction(() =>
        list().map((row) => ({
          id: row.id as number,
          collection: toCollection(row),
          reason: { code: row.code as string, message: row.message as string },
          at: row.set_aside_at as number,
          count: row.n as number,
          catches: ofBatch(row.id as number, limit).map(toCatch),
        })),
      ),
    retry: (ids) => end(ids, queue),
    drop: (ids) => end(ids, removeCatches),
  } satisfies Partial<OutboxStore>
}
