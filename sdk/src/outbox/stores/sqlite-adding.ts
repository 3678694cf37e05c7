import type { DatabaseSync } from 'node:sqlite'
import type { OutboxStore } from '../store.ts'
import { checkpointMoved } from './checkpoints.ts'
import { withoutDuplicates } from './duplicates.ts'
import { prepareChange, prepareQuery } from './sqlite-rows.ts'

/** The part of a store that takes catches in, and those that were not sent out again. */
export function prepareAdding(db: DatabaseSync, transaction: <T>(work: () => T) => T) {
  const count = prepareQuery(db, 'SELECT count(*) AS n FROM catches')
  const addCollection = prepareChange(
    db,
    'INSERT INTO collections (id, kind, user, gamemode) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  )
  const findKey = prepareQuery(db, 'SELECT 1 FROM keys WHERE key = ?')
  const addKey = prepareChange(db, 'INSERT INTO keys (key, added_at) VALUES (?, ?)')
  const addCatch = prepareChange(db, 'INSERT INTO catches (collection, entry, added_at, key) VALUES (?, ?, ?, ?)')
  const forgetKeys = prepareChange(
    db,
    `DELETE FROM keys WHERE (n <= (SELECT max(n) FROM keys) - ? OR added_at < ?)
      AND NOT EXISTS (SELECT 1 FROM catches WHERE catches.key = keys.key)`,
  )
  const setCheckpoint = prepareChange(
    db,
    'INSERT INTO bookmarks (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  const countMeant = prepareQuery(
    db,
    `SELECT count(*) FILTER (WHERE batch IS NULL) AS queued, count(token) AS frozen
      FROM catches LEFT JOIN batches ON batches.id = batch WHERE substr(coalesce(key, ''), 1, length(?)) = ?`,
  )
  const removeQueued = prepareChange(
    db,
    "DELETE FROM catches WHERE batch IS NULL AND substr(coalesce(key, ''), 1, length(?)) = ?",
  )
  const findCheckpoint = prepareQuery(db, 'SELECT value FROM bookmarks WHERE name = ?')

  const checkpointOf = (name: string) => findCheckpoint(name)[0]?.value as string | undefined

  return {
    add: ({ catches, checkpoint, now, maxCatches, maxKeys, keysSince }) =>
      transaction(() => {
        if (checkpoint && checkpointMoved(checkpoint, checkpointOf(checkpoint.name))) return { type: 'moved' }
        const unknown = withoutDuplicates(catches, (key) => findKey(key).length > 0)
        if (unknown.size > 0 && Number(count()[0]?.n) + unknown.size > maxCatches) return { type: 'full' }
        for (const { collection, kind, user, gamemode, entry, key } of unknown.values()) {
          if (key !== undefined) addKey(key, now)
          addCollection(collection, kind, user, gamemode)
          addCatch(collection, JSON.stringify(entry), now, key ?? null)
        }
        if (unknown.size > 0) forgetKeys(maxKeys, keysSince)
        if (checkpoint) setCheckpoint(checkpoint.name, checkpoint.value)
        return { type: 'added', addedIndexes: [...unknown.keys()] }
      }),
    checkpoint: (name) => transaction(() => checkpointOf(name)),
    cancel: ({ keyPrefix = '', checkpoint, dryRun }) =>
      transaction(() => {
        const [counts] = countMeant(keyPrefix, keyPrefix)
        if (!dryRun) {
          removeQueued(keyPrefix, keyPrefix)
          if (checkpoint) setCheckpoint(checkpoint.name, checkpoint.value)
        }
        return { cancelled: Number(counts?.queued), frozen: Number(counts?.frozen) }
      }),
  } satisfies Partial<OutboxStore>
}
