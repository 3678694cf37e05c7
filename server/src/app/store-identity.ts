import { StorageError } from '../storage/errors.ts'
import type { FishStorage } from '../storage/types.ts'
import type { RandomSource } from './ids.ts'
import { newStoreId, refuseUnfinished, STORE_KEY, unfinishedIf } from './store-mark.ts'

/** Which store a service works on, so that it notices another one, or none, in its place. */
export interface StoreIdentity {
  /**
   * Remembers which store it is; one that has no id gets one.
   * @throws StorageError `unfinished`
   */
  remember(): Promise<void>
  /**
   * Settles when it still is the store that was remembered, and at once when none was.
   * @throws StorageError `replaced`, `unfinished`
   */
  verify(): Promise<void>
  /**
   * What has to settle before the storage is used: nothing as long as a {@link verify} that began less than
   * {@link FRESH_MS} ago found the store; the refusal when it found another one; else a new {@link verify}.
   */
  admit(): Promise<void> | undefined
  /** The connection failed: whatever answers next may be another store. */
  doubt(): void
}

/**
 * How long what was found holds, in milliseconds. Longer than a host takes between two verifications, so that requests
 * hardly ever wait for one, and shorter than an import waits before it writes.
 */
const FRESH_MS = 1500

/** What {@link createStoreIdentity} builds on. */
export interface StoreIdentityContext {
  readonly storage: FishStorage
  readonly random: RandomSource
  readonly clock: () => number
}

/** Makes the identity of the store behind a storage. */
export function createStoreIdentity({ storage, random, clock }: StoreIdentityContext): StoreIdentity {
  let remembered: string | undefined
  let loss: StorageError | undefined
  let foundAt = Number.NEGATIVE_INFINITY
  // Verifications overtake one another: what began earlier tells nothing once a later one has.
  let [begun, told] = [0, 0]
  let renewing: Promise<void> | undefined

  function tell(turn: number, at: number, found: StorageError | undefined): void {
    if (turn <= told) return
    told = turn
    foundAt = at
    loss = found
  }

  function doubt(): void {
    told = begun
    foundAt = Number.NEGATIVE_INFINITY
  }

  async function verify(): Promise<void> {
    if (remembered === undefined) return
    begun += 1
    const [turn, at] = [begun, clock()]
    const value = await storage.items.getItem(STORE_KEY).catch((error: unknown) => {
      doubt()
      throw error
    })
    const found = value === remembered ? undefined : (unfinishedIf(value) ?? replaced())
    tell(turn, at, found)
    if (found) throw found
  }

  return {
    verify,
    doubt,

    async remember() {
      begun += 1
      const [turn, at] = [begun, clock()]
      let id = await storage.items.getItem(STORE_KEY)
      if (id === null) {
        // Several may start at once: the id of the first holds for all.
        await storage.setItemIfAbsent(STORE_KEY, newStoreId(random))
        id = await storage.items.getItem(STORE_KEY)
      }
      refuseUnfinished(id)
      if (id === null) throw replaced()
      remembered = id
      tell(turn, at, undefined)
    },

    admit() {
      if (remembered === undefined) return undefined
      const age = clock() - foundAt
      // A clock that was set back says nothing of the age.
      if (age >= 0 && age < FRESH_MS) return loss && Promise.reject(loss)
      renewing ??= verify().finally(() => {
        renewing = undefined
      })
      return renewing
    },
  }
}

function replaced(): StorageError {
  return new StorageError(
    'replaced',
    'The storage no longer holds the store that this server started with: it was emptied or replaced. Restore the data; or restart all servers, to begin with what is there now.',
  )
}
