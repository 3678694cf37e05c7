import { endOfBase, pageOf } from '../../storage/ordered-items.ts'
import type { ItemPage, ItemRange } from '../../storage/types.ts'
import { openStoreFile } from './store-file.ts'

/** The items of a file store that is only looked at. */
export interface StoreView {
  readonly items: { getItem(key: string): Promise<string | null> }
  listItems(range: ItemRange): Promise<ItemPage>
  dispose(): Promise<void>
}

/**
 * Opens a store for looking at its items, as it is: one of an older schema stays that.
 * @throws as `openStoreFile`
 */
export function viewStoreFile(file: string): StoreView {
  const db = openStoreFile(file)
  const item = db.prepare('SELECT value FROM items WHERE key = ?')
  const page = db.prepare(
    `SELECT key, value FROM items WHERE key >= ? AND key > ? AND key < ?
     AND (? = '' OR instr(substr(key, ?), ?) > 0) ORDER BY key LIMIT ?`,
  )
  return {
    items: {
      async getItem(key) {
        const row = item.get(key)
        return row ? String(row.value) : null
      },
    },
    async listItems({ base, after = '', limit, contains = '' }) {
      const rows = page.all(base, after, endOfBase(base), contains, base.length + 1, contains, limit + 1)
      return pageOf(
        rows.map((row) => ({ key: String(row.key), value: String(row.value) })),
        limit,
      )
    },
    dispose: async () => db.close(),
  }
}
