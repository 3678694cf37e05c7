import type { StorageExtension } from '../storage/types.ts'

/** An operation of a storage that answers with one promise. */
export type Operation = Exclude<keyof StorageExtension, 'durability' | 'warnings' | 'read'>

/** As a record, so that an operation that is added to the storage cannot be forgotten here. */
const EVERY: Readonly<Record<Operation, true>> = {
  ping: true,
  append: true,
  findRecord: true,
  version: true,
  removeRecord: true,
  removeOwner: true,
  tallies: true,
  leaders: true,
  setItemIfAbsent: true,
  removeItemIf: true,
  replaceItemIf: true,
  listItems: true,
  countItems: true,
  countInWindow: true,
  peekWindow: true,
}

/** The operations of a storage. */
export const OPERATIONS = Object.keys(EVERY) as readonly Operation[]

/** The operations on items that the service uses. */
export const ITEM_OPERATIONS = ['getItem', 'setItem', 'removeItem'] as const
