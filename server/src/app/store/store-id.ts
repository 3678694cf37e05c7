import { replacedError, StorageError } from '../../storage/core/errors.ts'
import { STORE_KEY } from '../../storage/core/keys.ts'
import type { FishStorage } from '../../storage/core/types.ts'
import { type RandomSource, randomText } from '../core/ids.ts'

/** The id of the store that a service works on, by which it notices when the store is emptied or replaced. */
export type StoreId = ReturnType<typeof createStoreId>

/**
 * How long a result is reused, in milliseconds. Longer than a host takes between two verifications, so that requests
 * hardly ever wait for one, and shorter than an import waits before it writes.
 */
const FRESH_MS = 1500

interface StoreIdOptions {
  readonly storage: FishStorage
  readonly random: RandomSource
  readonly clock: () => number
}

export function createStoreId({ storage, random, clock }: StoreIdOptions) {
  let id: string | undefined
  let latest = { at: Number.NEGATIVE_INFINITY, error: undefined as StorageError | undefined }
  // Reads may overtake one another: the result of an earlier one does not replace that of a later one.
  let [startedReads, latestRead] = [0, 0]
  let verifying: Promise<void> | undefined

  /** Drops the last result, since the connection failed: the next response may come from another store. */
  function invalidate(): void {
    latestRead = startedReads
    latest = { ...latest, at: Number.NEGATIVE_INFINITY }
  }

  /** Numbers a read; the function stores its result. */
  function startRead(): (error?: StorageError) => void {
    startedReads += 1
    const [read, at] = [startedReads, clock()]
    return (error) => {
      if (read <= latestRead) return
      latestRead = read
      latest = { at, error }
    }
  }

  /** @throws StorageError `replaced`, `unfinished` */
  async function verify(): Promise<void> {
    if (id === undefined) return
    const finish = startRead()
    const value = await storage.items.getItem(STORE_KEY).catch((error: unknown) => {
      invalidate()
      throw error
    })
    const error = value === id ? undefined : (unfinishedError(value) ?? replacedError())
    finish(error)
    if (error) throw error
  }

  return {
    verify,
    invalidate,

    /** Creates an id for a store without one. Until then, nothing is checked. @throws StorageError `unfinished` */
    async load(): Promise<void> {
      const finish = startRead()
      let value = await storage.items.getItem(STORE_KEY)
      if (value === null) {
        // Several servers may start at once: all use the id of the first.
        await storage.setItemIfAbsent(STORE_KEY, newStoreId(random))
        value = await storage.items.getItem(STORE_KEY)
      }
      refuseUnfinished(value)
      if (value === null) throw replacedError()
      id = value
      finish()
    },

    ready(): Promise<void> | undefined {
      if (id === undefined) return undefined
      const age = clock() - latest.at
      // A clock that was set back says nothing about the age.
      if (age >= 0 && age < FRESH_MS) return latest.error && Promise.reject(latest.error)
      verifying ??= verify().finally(() => {
        verifying = undefined
      })
      return verifying
    },
  }
}

const ID_LENGTH = 22
const ID = /^[A-Za-z0-9]{1,64}$/

export function isStoreId(value: string): boolean {
  return ID.test(value) && value !== UNFINISHED
}

function newStoreId(random: RandomSource): string {
  return randomText(ID_LENGTH, random)
}

/** Replaces the id until a store is complete. */
const UNFINISHED = 'unfinished'

function unfinishedError(value: string | null): StorageError | undefined {
  if (value !== UNFINISHED) return undefined
  return new StorageError(
    'unfinished',
    'The store is incomplete: a copy or an import into it did not finish. If none is running, empty the store and run the command again.',
  )
}

/** @throws StorageError `unfinished` */
export function refuseUnfinished(value: string | null): void {
  const error = unfinishedError(value)
  if (error) throw error
}

/** @throws StorageError `unfinished` */
export async function checkFinished(storage: FishStorage): Promise<void> {
  refuseUnfinished(await storage.items.getItem(STORE_KEY))
}

/** `false` when the storage holds a store, or a part of one. */
export function startFilling(storage: FishStorage): Promise<boolean> {
  return storage.setItemIfAbsent(STORE_KEY, UNFINISHED)
}

/** Makes a store that was not filled available again. */
export function cancelFilling(storage: FishStorage): Promise<boolean> {
  return storage.removeItemIf(STORE_KEY, UNFINISHED)
}

/** @throws StorageError `replaced` when the storage was emptied meanwhile: it may hold a part of the data */
export async function checkFilling(storage: FishStorage): Promise<void> {
  if ((await storage.items.getItem(STORE_KEY)) !== UNFINISHED) await failReplaced(storage)
}

/** Gives the store its id. @param id @default a new one @throws StorageError as {@link checkFilling} */
export async function finishFilling(storage: FishStorage, random: RandomSource, id?: string): Promise<void> {
  if (!(await storage.replaceItemIf(STORE_KEY, UNFINISHED, id ?? newStoreId(random)))) await failReplaced(storage)
}

/** No server may start on a part. */
async function failReplaced(storage: FishStorage): Promise<never> {
  await startFilling(storage)
  throw new StorageError('replaced', 'The store was emptied or replaced while it was filled.')
}
