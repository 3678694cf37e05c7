import type { Collection, CollectionCounts, DeadLetterReason, LeaseHolder, StoredCatch } from '../store.ts'

/** A batch in memory: frozen with a token, or set aside for a reason. */
export type MemoryBatch =
  | { readonly id: number; readonly collection: string; readonly token: string }
  | { readonly id: number; readonly collection: string; readonly reason: DeadLetterReason; readonly at: number }

/** A catch in memory, and the batch it is in; without one it is queued. */
export interface MemoryCatch {
  readonly stored: StoredCatch
  readonly batch: MemoryBatch | undefined
}

/** A lease in memory. */
interface MemoryLease {
  readonly owner: string
  readonly since: number
  readonly until: number
}

/** All that a store in memory holds. */
export interface MemoryState {
  service: string | undefined
  /** In order of `seq`. */
  catches: MemoryCatch[]
  lastSeq: number
  lastBatch: number
  /** When each was added; in order. */
  readonly keys: Map<string, number>
  readonly checkpoints: Map<string, string>
  readonly leases: Map<string, MemoryLease>
  /** Collections by id, as they were first spelled. */
  readonly collections: Map<string, Collection>
}

/** A state that holds nothing. */
export function emptyState(): MemoryState {
  return {
    service: undefined,
    catches: [],
    lastSeq: 0,
    lastBatch: 0,
    keys: new Map(),
    checkpoints: new Map(),
    leases: new Map(),
    collections: new Map(),
  }
}

/** Whether a catch is queued or frozen. */
export function isWaiting({ batch }: MemoryCatch): boolean {
  return batch === undefined || 'token' in batch
}

/** Whether that owner holds the lease. */
export function holds({ leases }: MemoryState, { collection, owner }: LeaseHolder): boolean {
  return leases.get(collection)?.owner === owner
}

/** Forgets the oldest keys beyond a number or an age, but none of a catch that is held. */
export function forgetKeys({ keys, catches }: MemoryState, maxKeys: number, since: number): void {
  const held = new Set(catches.map(({ stored }) => stored.key))
  let beyond = keys.size - maxKeys
  for (const [key, addedAt] of keys) {
    if (beyond <= 0 && addedAt >= since) break
    beyond -= 1
    if (!held.has(key)) keys.delete(key)
  }
}

/** Counts by collection, the one with the oldest catch first. */
export function countByCollection({ catches }: MemoryState): CollectionCounts[] {
  const counts = new Map<string, CollectionCounts>()
  for (const one of catches) {
    const { collection, kind, user, gamemode, addedAt } = one.stored
    const before = counts.get(collection) ?? { collection, kind, user, gamemode, queued: 0, frozen: 0, dead: 0 }
    const state = one.batch === undefined ? 'queued' : 'token' in one.batch ? 'frozen' : 'dead'
    counts.set(collection, {
      ...before,
      [state]: before[state] + 1,
      ...(isWaiting(one) ? { oldestAt: Math.min(addedAt, before.oldestAt ?? addedAt) } : {}),
    })
  }
  return [...counts.values()]
}
