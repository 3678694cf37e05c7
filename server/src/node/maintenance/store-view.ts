import { prepareItemReads } from '../../storage/file/reader.ts'
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
  const { item, page } = prepareItemReads(db)
  return {
    items: { getItem: async (key) => item(key) },
    listItems: async (range) => page(range),
    dispose: async () => db.close(),
  }
}
