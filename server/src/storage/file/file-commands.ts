import type { DatabaseSync } from 'node:sqlite'
import { endOfBase } from '../ordered-items.ts'
import type { Write, WriteResult } from './file-messages.ts'
import { prepareAppend, prepareRemoveOwner, prepareRemoveRecord } from './file-record-commands.ts'
import { SCHEMA_VERSION } from './file-schema.ts'
import { PendingSums, prepareFlush } from './file-sums.ts'

function prepareCommand(db: DatabaseSync): (write: Write, pending: PendingSums) => WriteResult {
  const append = prepareAppend(db)
  const removeRecord = prepareRemoveRecord(db)
  const removeOwner = prepareRemoveOwner(db)
  const setItem = db.prepare(
    'INSERT INTO items (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  const addItem = db.prepare('INSERT INTO items (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING')
  const removeItem = db.prepare('DELETE FROM items WHERE key = ?')
  const removeItemIf = db.prepare('DELETE FROM items WHERE key = ? AND value = ?')
  const replaceItemIf = db.prepare('UPDATE items SET value = ? WHERE key = ? AND value = ?')
  const clearAll = db.prepare('DELETE FROM items')
  const clearBase = db.prepare('DELETE FROM items WHERE key >= ? AND key < ?')

  return (write, pending) => {
    switch (write.type) {
      case 'append':
        return append(write.collection, write.record, pending)
      case 'removeRecord':
        return removeRecord(write.collection, write.id, pending)
      case 'removeOwner':
        return removeOwner(write.owner, pending)
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
      case 'replaceItemIf':
        return Number(replaceItemIf.run(write.value, write.key, write.expected).changes) === 1
      case 'clearItems':
        if (write.base) clearBase.run(write.base, endOfBase(write.base))
        else clearAll.run()
        return undefined
      case 'ping':
        return undefined
      case 'probe':
        // SQLite writes the page that this stands on, although it is what stands there already.
        db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
        return undefined
    }
  }
}

/** Carries out the writes of one transaction, which its caller begins and commits. */
export function prepareCommands(db: DatabaseSync): (writes: readonly Write[]) => WriteResult[] {
  const run = prepareCommand(db)
  const flush = prepareFlush(db)
  return (writes) => {
    const pending = new PendingSums()
    const results = writes.map((write) => run(write, pending))
    flush(pending)
    return results
  }
}
