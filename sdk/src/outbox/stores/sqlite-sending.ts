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
} from './sqlite-rows.ts'

const LISTED = '(SELECT value FROM json_each(?))'

/** The part of a store that lets catches out. */
export function prepareSending(db: DatabaseSync, transaction: <T>(work: () => T) => T) {
  const holds = prepareHolds(db)
  const removeEmptyBatches = prepareRemoveEmptyBatches(db)
  const claim = prepareChange(
    db,
    // The SQLite of Node 22.19 binds no numbered parameters.
    `UPDATE collections SET owner = given.owner, leased_at = given.now, leased_until = given.now + given.lease
      FROM (SELECT ? AS owner, ? AS now, ? AS lease) AS given WHERE id = ?
      AND (collections.owner IS NULL OR collections.owner = given.owner OR leased_until <= given.now
        OR leased_at > given.now)`,
  )
  const leasedUntil = prepareQuery(db, 'SELECT leased_until FROM collections WHERE id = ? AND owner IS NOT NULL')
  const release = prepareChange(db, 'UPDATE collections SET owner = NULL WHERE id = ? AND owner = ?')
  const findFrozen = prepareQuery(
    db,
    'SELECT id, token FROM batches WHERE collection = ? AND token IS NOT NULL ORDER BY id LIMIT 1',
  )
  const ofBatch = prepareQuery(db, `SELECT ${CATCH_COLUMNS} FROM ${CATCHES} WHERE batch = ? ORDER BY seq`)
  const queued = prepareQuery(
    db,
    `SELECT ${CATCH_COLUMNS} FROM ${CATCHES} WHERE collection = ? AND batch IS NULL ORDER BY seq LIMIT ?`,
  )
  const addBatch = prepareQuery(db, 'INSERT INTO batches (collection, token) VALUES (?, ?) RETURNING id')
  const countQueued = prepareQuery(
    db,
    `SELECT count(*) AS n FROM catches WHERE collection = ? AND batch IS NULL AND seq IN ${LISTED}`,
  )
  const bind = prepareChange(db, `UPDATE catches SET batch = ? WHERE seq IN ${LISTED}`)
  const removeFrozenCatches = prepareChange(
    db,
    'DELETE FROM catches WHERE batch = (SELECT id FROM batches WHERE id = ? AND token IS NOT NULL)',
  )
  const removeFrozen = prepareChange(db, 'DELETE FROM batches WHERE id = ? AND token IS NOT NULL')
  const requeue = prepareChange(
    db,
    `UPDATE catches SET batch = NULL, batch_limit = ? WHERE collection = ? AND seq IN ${LISTED}
      AND (batch IS NULL OR batch IN (SELECT id FROM batches WHERE token IS NOT NULL))`,
  )

  return {
    claim: ({ collection, owner, now, leaseMs }) =>
      transaction(() => {
        if (claim(owner, now, leaseMs, collection) > 0) return { granted: true }
        return { granted: false, until: Number(leasedUntil(collection)[0]?.leased_until ?? now) }
      }),
    release({ collection, owner }) {
      release(collection, owner)
    },
    // Two reads in one transaction: they must not see the batch from before and the catches from after an answer.
    nextBatch: (collection, limit) =>
      transaction(() => {
        const [frozen] = findFrozen(collection)
        if (!frozen) return { catches: queued(collection, limit).map(toCatch) }
        const batch = frozen.id as number
        return { frozen: { batch, token: frozen.token as string }, catches: ofBatch(batch).map(toCatch) }
      }),
    freeze: (holder, seqs, token) =>
      transaction(() => {
        const list = JSON.stringify(seqs)
        if (!holds(holder) || Number(countQueued(holder.collection, list)[0]?.n) !== seqs.length) return undefined
        const batch = addBatch(holder.collection, token)[0]?.id as number
        bind(batch, list)
        return batch
      }),
    acknowledge: (batch) =>
      transaction(() => {
        removeFrozenCatches(batch)
        return removeFrozen(batch) > 0
      }),
    requeue: (holder, seqs, batchLimit) =>
      transaction(() => {
        if (!holds(holder)) return false
        requeue(batchLimit ?? null, holder.collection, JSON.stringify(seqs))
        removeEmptyBatches(holder.collection)
        return true
      }),
  } satisfies Partial<OutboxStore>
}
