import type { SQLInputValue, StatementSync } from 'node:sqlite'
import type { PayloadEntry } from '../client/resources/catch-input.ts'
import type { Gamemode } from '../contract/gamemodes.ts'
import type { Kind } from '../contract/kinds.ts'
import { userNameKey } from '../contract/names.ts'
import type { CatchToAdd, Checkpoint, Collection, StoredCatch } from './catches.ts'
import { OutboxFullError, OutboxStoreError } from './errors.ts'
import { defaultPath, guarded, inTransaction, openFile, openReadOnly } from './file.ts'
import type { CancelOptions, CancelOutcome, DeadLetter, OutboxInspection, RejectionReason } from './outbox.ts'

type Row = Record<string, string | number | null>

const LISTED_CATCHES = 500

const CATCH_COLUMNS = `catches.seq, catches.collection, catches.entry, catches.added_at, catches.key,
  catches.batch_limit, collections.kind, collections.user, collections.gamemode`
const CATCHES = 'catches JOIN collections ON collections.id = catches.collection'
const FROZEN = 'batch IN (SELECT id FROM batches WHERE token IS NOT NULL)'
const PENDING = `(batch IS NULL OR ${FROZEN})`
const LISTED = '(SELECT value FROM json_each(?))'

const DELETE_EMPTY_BATCHES =
  'DELETE FROM batches WHERE collection = ? AND NOT EXISTS (SELECT 1 FROM catches WHERE batch = batches.id)'

const COUNTS = `SELECT collection, kind, user, gamemode,
    count(*) FILTER (WHERE code IS NULL) AS pending,
    count(code) AS rejected,
    min(added_at) FILTER (WHERE code IS NULL) AS oldest
  FROM (SELECT catches.*, code FROM catches LEFT JOIN batches ON batches.id = batch) AS catches
  JOIN collections ON collections.id = collection GROUP BY collection ORDER BY min(seq)`

const FIRST_FROZEN = 'SELECT id, token FROM batches WHERE collection = ? AND token IS NOT NULL ORDER BY id LIMIT 1'

const DEAD_LETTERS = `SELECT batches.id, code, message, rejected_at, kind, user, gamemode,
    (SELECT count(*) FROM catches WHERE batch = batches.id) AS count
  FROM batches JOIN collections ON collections.id = collection WHERE code IS NOT NULL ORDER BY batches.id`

/**
 * Number of keys to remember after delivery, because reading an old log again repeats catches that were sent long ago.
 */
const MAX_KEYS = 1_000_000

const FORGET_KEYS = `DELETE FROM keys WHERE n <= (SELECT max(n) FROM keys) - ${MAX_KEYS}
  AND NOT EXISTS (SELECT 1 FROM catches WHERE catches.key = keys.key)`

export type OutboxStore = ReturnType<typeof openStore>

/**
 * Opens the queue in one database. Each operation is a transaction: an operation that returns has stored all of its
 * changes, and an operation that throws has changed nothing. Only the holder of the lock calls `freeze`, `acknowledge`,
 * `requeue` and `reject`.
 *
 * @throws OutboxStoreError
 */
export function openStore(path: string | undefined, service: string | undefined) {
  const label = path ?? `of ${service}`
  // The default path is resolved inside `guarded`, because homedir() throws for a user without a home folder.
  const { db, name, lock, reserve } = guarded(label, () => openFile(path ?? defaultPath(service ?? '')))
  const prepared = new Map<string, StatementSync>()
  const statement = (sql: string) => {
    const known = prepared.get(sql) ?? db.prepare(sql)
    prepared.set(sql, known)
    return known
  }
  const rows = (sql: string, values: SQLInputValue[] = []) => statement(sql).all(...values) as Row[]
  /** The first value of the first row. */
  const number = (sql: string, values: SQLInputValue[] = []) =>
    Number(Object.values(statement(sql).get(...values) ?? {})[0])
  /** Returns the number of changed rows. */
  const change = (sql: string, values: SQLInputValue[] = []) => Number(statement(sql).run(...values).changes)
  const transaction = <T>(work: () => T): T => guarded(name, () => inTransaction(db, work))
  const shortenLog = () => {
    try {
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch {
      // The disk has no space for the pages in the log.
    }
  }
  /** Runs a transaction of a delivery. On a full disk, makes room for it. */
  const deliveryTransaction = <T>(work: () => T): T => {
    for (const makeRoom of [shortenLog, reserve.release, shortenLog]) {
      try {
        return transaction(work)
      } catch (error) {
        if ((error as OutboxStoreError).code !== 'outbox_disk_full') throw error
        makeRoom()
      }
    }
    return transaction(work)
  }

  const checkpointValue = (checkpoint: string) =>
    rows('SELECT value FROM checkpoints WHERE name = ?', [checkpoint])[0]?.value as string | undefined

  const setCheckpoint = ({ name: checkpoint, value }: Pick<Checkpoint, 'name' | 'value'>) =>
    change('INSERT OR REPLACE INTO checkpoints VALUES (?, ?)', [checkpoint, value])

  const catchesIn = (where: string, values: SQLInputValue[], limit = -1) =>
    rows(`SELECT ${CATCH_COLUMNS} FROM ${CATCHES} WHERE ${where} ORDER BY seq LIMIT ?`, [...values, limit]).map(toCatch)

  /**
   * Moves pending catches to the given batch, or to the queue if `batch` is `null`, and deletes batches that become
   * empty.
   */
  const move = (collection: string, which: readonly number[] | 'all', batch: number | null, batchLimit?: number) => {
    const [all, list] = which === 'all' ? [1, '[]'] : [0, JSON.stringify(which)]
    const count = change(
      `UPDATE catches SET batch = ?, batch_limit = ? WHERE collection = ? AND ${PENDING} AND (? OR seq IN ${LISTED})`,
      [batch, batchLimit ?? null, collection, all, list],
    )
    change(DELETE_EMPTY_BATCHES, [collection])
    return count
  }

  /** Deletes catches and their keys, so that the same catches can be added again. */
  const deleteCatches = (where: string, values: SQLInputValue[]) => {
    change(`DELETE FROM keys WHERE key IN (SELECT key FROM catches WHERE ${where})`, values)
    return change(`DELETE FROM catches WHERE ${where}`, values)
  }

  /** Applies a change to the catches of dead letters, and deletes the dead letters. @returns the number of catches */
  const endDeadLetters = (ids: readonly number[] | undefined, end: (where: string, values: [string]) => number) =>
    transaction(() => {
      const all = rows('SELECT id FROM batches WHERE code IS NOT NULL').map(({ id }) => id as number)
      const ended = JSON.stringify(ids ? all.filter((id) => ids.includes(id)) : all)
      const count = end(`batch IN ${LISTED}`, [ended])
      change(`DELETE FROM batches WHERE id IN ${LISTED}`, [ended])
      return count
    })

  return {
    lock,
    refillReserve: reserve.refill,
    /** Binds the store to a service, so that the catches are never sent to another service. */
    bind: (address: string) =>
      transaction(() => {
        const bound = rows('SELECT address FROM service')[0]?.address
        if (bound === undefined) change('INSERT INTO service (address) VALUES (?)', [address])
        else if (bound !== address) {
          throw new OutboxStoreError('outbox_other_service', `The outbox belongs to ${bound}, not to ${address}.`, {
            hint: 'Use a client of that service, or choose another path.',
          })
        }
      }),
    /**
     * Appends the catches with unknown keys, remembers the keys, and moves the checkpoint.
     * @returns the indexes of the added catches
     */
    add: (
      catches: readonly CatchToAdd[],
      { checkpoint, now, maxCatches }: { checkpoint: Checkpoint | undefined; now: number; maxCatches: number },
    ): readonly number[] => {
      const outcome = transaction(() => {
        const seen = new Set<string>()
        const isNew = ({ key }: CatchToAdd) => {
          if (key === undefined) return true
          if (seen.has(key) || rows('SELECT 1 FROM keys WHERE key = ?', [key]).length > 0) return false
          seen.add(key)
          return true
        }
        const added = [...catches.entries()].filter(([, one]) => isNew(one))
        const isFull = added.length > 0 && number('SELECT count(*) FROM catches') + added.length > maxCatches
        if (isFull) return new OutboxFullError(maxCatches)
        for (const [, { collection, kind, user, gamemode, entry, key }] of added) {
          if (key !== undefined) change('INSERT INTO keys (key, added_at) VALUES (?, ?)', [key, now])
          change('INSERT OR IGNORE INTO collections VALUES (?, ?, ?, ?)', [collection, kind, user, gamemode])
          const row = [collection, JSON.stringify(entry), now, key ?? null]
          change('INSERT INTO catches (collection, entry, added_at, key) VALUES (?, ?, ?, ?)', row)
        }
        if (added.length > 0) change(FORGET_KEYS)
        if (checkpoint) setCheckpoint(checkpoint)
        return added.map(([index]) => index)
      })
      if (outcome instanceof Error) throw outcome
      return outcome
    },
    checkpoint: (checkpoint: string) => transaction(() => checkpointValue(checkpoint)),
    /** Returns all collections that are not empty, sorted by their oldest catch. */
    collections: () =>
      transaction(() => rows(COUNTS)).map((row) => ({
        id: row.collection as string,
        ...toCollection(row),
        pending: row.pending as number,
        rejected: row.rejected as number,
        oldest: row.oldest as number | null,
      })),
    /** The first pending catches, in order. */
    peek: (limit: number) => transaction(() => catchesIn(PENDING, [], limit)),
    /**
     * Returns the oldest frozen batch. Returns up to `limit` queued catches if there is no frozen batch, because frozen
     * batches are sent first.
     */
    nextBatch: (collection: string, limit: number) =>
      transaction(() => {
        const [frozen] = rows(FIRST_FROZEN, [collection])
        if (!frozen) return { catches: catchesIn('collection = ? AND batch IS NULL', [collection], limit) }
        const { id, token } = frozen as { id: number; token: string }
        return { frozen: { id, token }, catches: catchesIn('batch = ?', [id]) }
      }),
    /**
     * Creates a frozen batch from these catches and a token. @returns the id of the batch; `undefined` if some of the
     * catches have been cancelled
     */
    freeze: (collection: string, seqs: readonly number[], token: string) =>
      deliveryTransaction(() => {
        const list = JSON.stringify(seqs)
        const queued = `SELECT count(*) FROM catches WHERE batch IS NULL AND seq IN ${LISTED}`
        if (number(queued, [list]) !== seqs.length) return undefined
        const id = number('INSERT INTO batches (collection, token) VALUES (?, ?) RETURNING id', [collection, token])
        change(`UPDATE catches SET batch = ? WHERE seq IN ${LISTED}`, [id, list])
        return id
      }),
    /** Deletes a batch and its catches after delivery. */
    acknowledge: (batch: number) =>
      deliveryTransaction(() => {
        change('DELETE FROM catches WHERE batch = ?', [batch])
        change('DELETE FROM batches WHERE id = ?', [batch])
      }),
    /** Moves these pending catches back to the queue, and discards their token. */
    requeue: (collection: string, seqs: readonly number[], batchLimit: number | undefined) =>
      deliveryTransaction(() => move(collection, seqs, null, batchLimit)),
    /**
     * Makes a dead letter of these pending catches, or of all pending catches of the collection. @returns `undefined`
     * if there are no such catches
     */
    reject: (collection: string, which: readonly number[] | 'all', { code, message }: RejectionReason, now: number) =>
      deliveryTransaction(() => {
        const id = number(
          'INSERT INTO batches (collection, code, message, rejected_at) VALUES (?, ?, ?, ?) RETURNING id',
          [collection, code, message, now],
        )
        const count = move(collection, which, id)
        return count > 0 ? { id, count } : undefined
      }),
    deadLetters: () =>
      transaction(() =>
        rows(DEAD_LETTERS).map(
          (row): DeadLetter => ({
            id: row.id as number,
            collection: toCollection(row),
            reason: { code: row.code as string, message: row.message as string },
            at: new Date(row.rejected_at as number),
            count: row.count as number,
            catches: catchesIn('batch = ?', [row.id as number], LISTED_CATCHES),
          }),
        ),
      ),
    /** Queues the catches of these dead letters, or of all dead letters, at their old positions. */
    retry: (ids: readonly number[] | undefined) =>
      endDeadLetters(ids, (where, values) =>
        change(`UPDATE catches SET batch = NULL, batch_limit = NULL WHERE ${where}`, values),
      ),
    drop: (ids: readonly number[]) => endDeadLetters(ids, deleteCatches),
    cancel: ({ user, seqs, dryRun = false }: CancelOptions): CancelOutcome =>
      transaction(() => {
        const owned = rows('SELECT id, user FROM collections').filter(
          (row) => user === undefined || userNameKey(row.user as string) === userNameKey(user),
        )
        const all = seqs === undefined ? 'TRUE' : `seq IN ${LISTED}`
        const matching = `collection IN ${LISTED} AND ${all}`
        const values = [owned.map(({ id }) => id), ...(seqs === undefined ? [] : [seqs])].map((list) =>
          JSON.stringify(list),
        )
        const count = (where: string) => number(`SELECT count(*) FROM catches WHERE ${where} AND ${matching}`, values)
        const outcome = { cancelled: count('batch IS NULL'), frozen: count(FROZEN) }
        if (!dryRun) deleteCatches(`batch IS NULL AND ${matching}`, values)
        return outcome
      }),
    close: () => db.close(),
  }
}

/** Reads a file without changing it. @throws OutboxStoreError */
export function inspectFile(path: string): OutboxInspection {
  return guarded(path, () => {
    const db = openReadOnly(path)
    try {
      const service = db.prepare('SELECT address FROM service').get()?.address
      const pending = db.prepare(`SELECT count(*) AS pending FROM catches WHERE ${PENDING}`).get()?.pending
      const key = db.prepare('SELECT 1 FROM keys WHERE key = ?')
      return {
        service: service as string | undefined,
        pending: Number(pending),
        hasKey: (wanted) => key.get(wanted) !== undefined,
        close: () => db.close(),
      }
    } catch (error) {
      db.close()
      throw error
    }
  })
}

function toCatch(row: Row): StoredCatch {
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

function toCollection(row: Row): Collection {
  return { kind: row.kind as Kind, user: row.user as string, gamemode: row.gamemode as Gamemode }
}
