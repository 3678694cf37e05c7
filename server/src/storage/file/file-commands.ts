import type { DatabaseSync } from 'node:sqlite'
import { endOfBase } from '../ordered-items.ts'
import type { AppendResult, Collection, NewRecord } from '../types.ts'
import type { Write, WriteResult } from './file-messages.ts'
import { IN_COLLECTION } from './file-schema.ts'

function prepareAppend(db: DatabaseSync): (collection: Collection, record: NewRecord) => AppendResult {
  const findRemoved = db.prepare('SELECT 1 FROM removed_owners WHERE owner = ?')
  const findToken = db.prepare('SELECT id FROM tokens WHERE owner = ? AND dedupe_key = ?')
  const findCollection = db.prepare('SELECT collection FROM collections WHERE owner = ? AND kind = ? AND gamemode = ?')
  const addCollection = db.prepare('INSERT INTO collections (owner, kind, gamemode) VALUES (?, ?, ?)')
  const addRecord = db.prepare(
    'INSERT INTO records (collection, count, labels, id, plain, full) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const addToken = db.prepare('INSERT INTO tokens (owner, dedupe_key, id) VALUES (?, ?, ?)')

  return ({ owner, kind, gamemode }, { id, dedupeKey, count, labels, plain, full }) => {
    if (findRemoved.get(owner)) return { outcome: 'owner_removed' }
    if (dedupeKey !== null) {
      const first = findToken.get(owner, dedupeKey)
      if (first) return { outcome: 'replayed', id: String(first.id) }
      addToken.run(owner, dedupeKey, id)
    }
    const found = findCollection.get(owner, kind, gamemode)
    const collection = found ? Number(found.collection) : addCollection.run(owner, kind, gamemode).lastInsertRowid
    addRecord.run(collection, count, JSON.stringify(labels), id, plain, full)
    return { outcome: 'stored', id }
  }
}

function prepareRemoveOwner(db: DatabaseSync): (owner: string) => undefined {
  const statements = [
    'DELETE FROM records WHERE collection IN (SELECT collection FROM collections WHERE owner = ?)',
    'DELETE FROM collections WHERE owner = ?',
    'DELETE FROM totals WHERE owner = ?',
    'DELETE FROM tokens WHERE owner = ?',
    'INSERT INTO removed_owners (owner) VALUES (?) ON CONFLICT DO NOTHING',
  ].map((sql) => db.prepare(sql))
  return (owner) => {
    for (const statement of statements) statement.run(owner)
  }
}

/** Carries out single writes inside the transaction that its caller holds open. */
export function prepareCommands(db: DatabaseSync): (write: Write) => WriteResult {
  const append = prepareAppend(db)
  const removeOwner = prepareRemoveOwner(db)
  const removeRecord = db.prepare(`DELETE FROM records WHERE id = ? AND ${IN_COLLECTION}`)
  const setItem = db.prepare(
    'INSERT INTO items (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  const addItem = db.prepare('INSERT INTO items (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING')
  const removeItem = db.prepare('DELETE FROM items WHERE key = ?')
  const removeItemIf = db.prepare('DELETE FROM items WHERE key = ? AND value = ?')
  const clearAll = db.prepare('DELETE FROM items')
  const clearBase = db.prepare('DELETE FROM items WHERE key >= ? AND key < ?')

  return (write) => {
    switch (write.type) {
      case 'append':
        return append(write.collection, write.record)
      case 'removeRecord': {
        const { owner, kind, gamemode } = write.collection
        return Number(removeRecord.run(write.id, owner, kind, gamemode).changes) > 0
      }
      case 'removeOwner':
        return removeOwner(write.owner)
      case 'setItem':
        setItem.run(write.key, write.value)
        return undefined
      case 'setItemIfAbsent':
        return Number(addItem.run(write.key, write.value).changes) === 1
      case 'removeItem':
        removeItem.run(write.key)
        return undefined
      case 'removeItemIf':
        return Number(removeItemIf.run(write.key, write.value).changes) === 1
      case 'clearItems':
        if (write.base) clearBase.run(write.base, endOfBase(write.base))
        else clearAll.run()
        return undefined
      case 'ping':
        return undefined
    }
  }
}
