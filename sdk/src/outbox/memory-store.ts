import {
  type AddRequest,
  type Collection,
  type CollectionCounts,
  checkpointMoved,
  type DeadLetterReason,
  type LeaseHolder,
  type OutboxStore,
  type StoredCatch,
  type StoredDeadLetter,
  withoutDuplicates,
} from './store.ts'

/**
 * A store in memory, for tests and for programs that may lose undelivered catches when they end.
 *
 * @example
 * const outbox = await openOutbox({ client, store: memoryStore() })
 */
export function memoryStore(): OutboxStore {
  const state = emptyState()
  const move = (moves: (one: MemoryCatch) => boolean, batch: MemoryBatch | undefined, batchLimit?: number): number => {
    let count = 0
    state.catches = state.catches.map((one) => {
      if (!moves(one)) return one
      count += 1
      const { batchLimit: _, ...stored } = one.stored
      return { stored: { ...stored, ...(batchLimit === undefined ? {} : { batchLimit }) }, batch }
    })
    return count
  }
  const remove = (removes: (one: MemoryCatch) => boolean): number => {
    const before = state.catches.length
    state.catches = state.catches.filter((one) => !removes(one))
    return before - state.catches.length
  }
  const inSetAside = (ids: readonly number[] | undefined) => (one: MemoryCatch) =>
    one.batch !== undefined && !isWaiting(one) && (!ids || ids.includes(one.batch.id))

  return {
    bind(service) {
      const isFree = state.service === undefined
      state.service ??= service
      return { service: state.service, adopted: isFree && (state.lastSeq > 0 || state.checkpoints.size > 0) }
    },
    add: (request) => add(state, request),
    checkpoint: (name) => state.checkpoints.get(name),
    collections: () => countByCollection(state),
    peek: (limit) => storedOf(state.catches.filter(isWaiting)).slice(0, limit),
    claim({ collection, owner, now, leaseMs }) {
      if (!state.collections.has(collection)) return { granted: false, until: now }
      const lease = state.leases.get(collection)
      const isFree = !lease || lease.owner === owner || lease.until <= now || lease.since > now
      if (!isFree) return { granted: false, until: lease.until }
      state.leases.set(collection, { owner, since: now, until: now + leaseMs })
      return { granted: true }
    },
    release(holder) {
      if (holds(state, holder)) state.leases.delete(holder.collection)
    },
    nextBatch(collection, limit) {
      const own = state.catches.filter(({ stored }) => stored.collection === collection)
      const frozen = own.flatMap(({ batch }) => (batch && 'token' in batch ? [batch] : []))
      const first = frozen.toSorted((one, other) => one.id - other.id)[0]
      if (!first) return { catches: storedOf(own.filter(({ batch }) => !batch)).slice(0, limit) }
      const catches = storedOf(own.filter(({ batch }) => batch?.id === first.id))
      return { frozen: { batch: first.id, token: first.token }, catches }
    },
    freeze(holder, seqs, token) {
      const { collection } = holder
      const isMeant = ({ stored, batch }: MemoryCatch) =>
        !batch && stored.collection === collection && seqs.includes(stored.seq)
      if (!holds(state, holder) || state.catches.filter(isMeant).length !== seqs.length) return undefined
      const batch = { id: ++state.lastBatch, collection, token }
      state.catches = state.catches.map((one) => (isMeant(one) ? { ...one, batch } : one))
      return batch.id
    },
    acknowledge: (id) => remove(({ batch }) => batch?.id === id && 'token' in batch) > 0,
    requeue(holder, seqs, batchLimit) {
      if (!holds(state, holder)) return false
      move((one) => isWaiting(one) && isListed(one, holder.collection, seqs), undefined, batchLimit)
      return true
    },
    addDeadLetter(holder, which, reason, at) {
      if (!holds(state, holder)) return undefined
      const batch = { id: ++state.lastBatch, collection: holder.collection, reason, at }
      const count = move((one) => isWaiting(one) && isListed(one, holder.collection, which), batch)
      return count > 0 ? { id: batch.id, count } : undefined
    },
    deadLetters(limit) {
      const batches = new Map<number, StoredDeadLetter>()
      for (const { stored, batch } of state.catches) {
        if (!batch || !('reason' in batch)) continue
        const { id, reason, at } = batch
        const { kind, user, gamemode } = stored
        const { count, catches } = batches.get(id) ?? { count: 0, catches: [] }
        const shown = count < limit ? [...catches, stored] : catches
        batches.set(id, { id, collection: { kind, user, gamemode }, reason, at, count: count + 1, catches: shown })
      }
      return [...batches.values()].toSorted((one, other) => one.id - other.id)
    },
    retry: (ids) => move(inSetAside(ids), undefined),
    drop: (ids) => remove(inSetAside(ids)),
    cancel({ keyPrefix = '', checkpoint, dryRun }) {
      const isMeant = ({ stored }: MemoryCatch) => keyPrefix === '' || stored.key?.startsWith(keyPrefix) === true
      const waiting = state.catches.filter((one) => isMeant(one) && isWaiting(one))
      const frozen = waiting.filter(({ batch }) => batch !== undefined).length
      if (!dryRun) {
        remove((one) => isMeant(one) && one.batch === undefined)
        if (checkpoint) state.checkpoints.set(checkpoint.name, checkpoint.value)
      }
      return { cancelled: waiting.length - frozen, frozen }
    },
    close() {},
  }
}

function add(state: ReturnType<typeof emptyState>, request: AddRequest): ReturnType<OutboxStore['add']> {
  const { catches, checkpoint, now, maxCatches, maxKeys, keysSince } = request
  if (checkpoint && checkpointMoved(checkpoint, state.checkpoints.get(checkpoint.name))) return { type: 'moved' }
  const unknown = withoutDuplicates(catches, (key) => state.keys.has(key))
  if (unknown.size > 0 && state.catches.length + unknown.size > maxCatches) return { type: 'full' }
  for (const { collection, kind, user, gamemode, entry, key } of unknown.values()) {
    const known = state.collections.get(collection) ?? { kind, user, gamemode }
    state.collections.set(collection, known)
    if (key !== undefined) state.keys.set(key, now)
    const stored = { ...known, collection, entry, seq: ++state.lastSeq, addedAt: now }
    state.catches.push({ stored: key === undefined ? stored : { ...stored, key }, batch: undefined })
  }
  if (unknown.size > 0) forgetKeys(state, maxKeys, keysSince)
  if (checkpoint) state.checkpoints.set(checkpoint.name, checkpoint.value)
  return { type: 'added', addedIndexes: [...unknown.keys()] }
}

function storedOf(catches: readonly MemoryCatch[]) {
  return catches.map(({ stored }) => stored)
}

function isListed({ stored }: MemoryCatch, collection: string, which: readonly number[] | 'all'): boolean {
  return stored.collection === collection && (which === 'all' || which.includes(stored.seq))
}

/** A frozen batch with its token, or a dead letter with its reason. */
type MemoryBatch =
  | { readonly id: number; readonly collection: string; readonly token: string }
  | { readonly id: number; readonly collection: string; readonly reason: DeadLetterReason; readonly at: number }

/** A catch and its batch; without one it is queued. */
interface MemoryCatch {
  readonly stored: StoredCatch
  readonly batch: MemoryBatch | undefined
}

interface MemoryLease {
  readonly owner: string
  readonly since: number
  readonly until: number
}

interface MemoryState {
  service: string | undefined
  /** In order of `seq`. */
  catches: MemoryCatch[]
  lastSeq: number
  lastBatch: number
  /** Keys by the time they were added, in order. */
  readonly keys: Map<string, number>
  readonly checkpoints: Map<string, string>
  readonly leases: Map<string, MemoryLease>
  /** Collections by id, in their first spelling. */
  readonly collections: Map<string, Collection>
}

function emptyState(): MemoryState {
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
function isWaiting({ batch }: MemoryCatch): boolean {
  return batch === undefined || 'token' in batch
}

function holds({ leases }: MemoryState, { collection, owner }: LeaseHolder): boolean {
  return leases.get(collection)?.owner === owner
}

/** Forgets the oldest keys beyond a number or an age, except those of stored catches. */
function forgetKeys({ keys, catches }: MemoryState, maxKeys: number, since: number): void {
  const held = new Set(catches.map(({ stored }) => stored.key))
  let beyond = keys.size - maxKeys
  for (const [key, addedAt] of keys) {
    if (beyond <= 0 && addedAt >= since) break
    beyond -= 1
    if (!held.has(key)) keys.delete(key)
  }
}

/** Counts by collection, the one with the oldest catch first. */
function countByCollection({ catches }: MemoryState): CollectionCounts[] {
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
