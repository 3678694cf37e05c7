import { StorageError } from '../storage/errors.ts'
import { itemKey } from '../storage/keys.ts'
import type { FishStorage } from '../storage/types.ts'
import { type RandomSource, randomText } from './ids.ts'

/** The item that says which store this is: a random id, or that an import into it did not finish. */
export const STORE_KEY = itemKey('setting', 'store')

const UNFINISHED = 'import unfinished'
const ID_LENGTH = 22
const ID = /^[A-Za-z0-9]{1,64}$/

/** Whether a value of {@link STORE_KEY} is an id. */
export function isStoreId(value: string): boolean {
  return ID.test(value)
}

/**
 * Refuses a store that holds part of an import.
 * @param value that of {@link STORE_KEY}, `null` where there is none
 * @throws StorageError `unfinished`
 */
export function refuseUnfinished(value: string | null): void {
  const refusal = unfinishedIf(value)
  if (refusal) throw refusal
}

/** The refusal of a store that holds part of an import; `undefined` for any other. */
export function unfinishedIf(value: string | null): StorageError | undefined {
  if (value !== UNFINISHED) return undefined
  return new StorageError(
    'unfinished',
    'The store holds part of an import that did not finish. Unless that is still running, empty the store and import again.',
  )
}

/**
 * Refuses a storage that holds part of an import. Writes nothing.
 * @throws StorageError `unfinished`
 */
export async function checkFinished(storage: FishStorage): Promise<void> {
  refuseUnfinished(await storage.items.getItem(STORE_KEY))
}

/** Marks a storage as holding part of an import; `false` when it is marked, or a store, already. */
export function markUnfinished(storage: FishStorage): Promise<boolean> {
  return storage.setItemIfAbsent(STORE_KEY, UNFINISHED)
}

/** Takes the mark back, where nothing was imported. */
export function unmark(storage: FishStorage): Promise<boolean> {
  return storage.removeItemIf(STORE_KEY, UNFINISHED)
}

/**
 * Refuses to go on when the mark is gone: then what was imported may be gone as well. What is there is marked again.
 * @throws StorageError `replaced`
 */
export async function checkMarked(storage: FishStorage): Promise<void> {
  if ((await storage.items.getItem(STORE_KEY)) !== UNFINISHED) await refuseLost(storage)
}

/**
 * Says that the import is finished, and which store this is from now on.
 * @param id that of where the data comes from. @default a new one
 * @throws StorageError as {@link checkMarked}
 */
export async function markFinished(storage: FishStorage, random: RandomSource, id?: string): Promise<void> {
  if (!(await storage.replaceItemIf(STORE_KEY, UNFINISHED, id ?? newStoreId(random)))) await refuseLost(storage)
}

async function refuseLost(storage: FishStorage): Promise<never> {
  await markUnfinished(storage)
  throw new StorageError('replaced', 'The store was emptied or replaced during the import.')
}

/** A new id of a store. */
export function newStoreId(random: RandomSource): string {
  return randomText(ID_LENGTH, random)
}
