import {
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

/** A frozen batch with its token, or a dead letter with its reason. */
type Batch =
  | { readonly id: number; readonly token: string }
  | { readonly id: number; readonly reason: DeadLetterReason; readonly at: number }

/** A catch and its batch; without one it is queued. */
interface MemoryCatch {
  readonly stored: StoredCatch
  readonly batch: Batch | undefined
}

function isWaiting({ batch }: MemoryCatch): boolean {
  return batch === undefined || 'token' in batch
}

/**
 * A store in memory, for tests and for programs that may lose undelivered catches when they end.
 *
 * @example
 * const outbox = await openOutbox({ client, store: memoryStore() })
 */
export function memoryStore(): OutboxStore {
  let service: string | undefined
  /** In order of `seq`. */
  let catches: MemoryCatch[] = []
  let lastSeq = 0
  let lastBatch = 0
  /** Keys by the time they were added, in order. */
  const keys = new Map<string, number>()
  const checkpoints = new Map<string, string>()
  const leases = new Map<string, { readonly owner: string; readonly since: number; readonly until: number }>()
  /** Collections by id, in their first spelling. */
  const collections = new Map<string, Collection>()

  const hasLease = ({ collection, owner }: LeaseHolder) => leases.get(collection)?.owner === owner

  const storedIn = (isMeant: (one: MemoryCatch) => boolean) => catches.filter(isMeant).map(({ stored }) => stored)

  /** The queued and frozen catches of a collection that are listed. */
  const waitingIn = (collection: string, which: readonly number[] | 'all') => (one: MemoryCatch) =>
    isWaiting(one) && one.stored.collection === collection && (which === 'all' || which.includes(one.stored.seq))

  const inDeadLetters = (ids: readonly number[] | undefined) => (one: MemoryCatch) =>
    one.batch !== undefined && !isWaiting(one) && (!ids || ids.includes(one.batch.id))

  const move = (moves: (one: MemoryCatch) => boolean, batch: Batch | undefined, batchLimit?: number): number => {
    const count = catches.filter(moves).length
    catches = catches.map((one) => {
      if (!moves(one)) return one
      const { batchLimit: _, ...stored } = one.stored
      return { stored: { ...stored, ...(batchLimit !== undefined && { batchLimit }) }, batch }
    })
    return count
  }

  const remove = (removes: (one: MemoryCatch) => boolean): number => {
    const before = catches.length
    catches = catches.filter((one) => !removes(one))
    return before - catches.length
  }

  /** Forgets the oldest keys beyond a number or an age, except those of stored catches. */
  const forgetKeys = (maxKeys: number, since: number) => {
    const held = new Set(catches.map(({ stored }) => stored.key))
    let beyond = keys.size - maxKeys
    for (const [key, addedAt] of keys) {
      if (beyond <= 0 && addedAt >= since) break
      beyond -= 1
      if (!held.has(key)) keys.delete(key)
    }
  }

  return {
    bind(wanted) {
      const isFree = service === undefined
      service ??= wanted
      return { service, adopted: isFree && (lastSeq > 0 || checkpoints.size > 0) }
    },
    add({ catches: added, checkpoint, now, maxCatches, maxKeys, keysSince }) {
      if (checkpoint && checkpointMoved(checkpoint, checkpoints.get(checkpoint.name))) return { type: 'moved' }
      const unknown = withoutDuplicates(added, (key) => keys.has(key))
      if (unknown.size > 0 && catches.length + unknown.size > maxCatches) return { type: 'full' }
      for (const { collection, kind, user, gamemode, entry, key } of unknown.values()) {
        const known = collections.get(collection) ?? { kind, user, gamemode }
        collections.set(collection, known)
        if (key !== undefined) keys.set(key, now)
        const stored = { ...known, collection, entry, seq: ++lastSeq, addedAt: now, ...(key !== undefined && { key }) }
        catches.push({ stored, batch: undefined })
      }
      if (unknown.size > 0) forgetKeys(maxKeys, keysSince)
      if (checkpoint) checkpoints.set(checkpoint.name, checkpoint.value)
      return { type: 'added', addedIndexes: [...unknown.keys()] }
    },
    checkpoint: (name) => checkpoints.get(name),
    collections() {
      const counts = new Map<string, CollectionCounts>()
      for (const one of catches) {
        const { collection, kind, user, gamemode, addedAt } = one.stored
        const before = counts.get(collection) ?? { collection, kind, user, gamemode, queued: 0, frozen: 0, dead: 0 }
        const state = one.batch === undefined ? 'queued' : 'token' in one.batch ? 'frozen' : 'dead'
        const oldestAt = Math.min(addedAt, before.oldestAt ?? addedAt)
        counts.set(collection, { ...before, [state]: before[state] + 1, ...(isWaiting(one) && { oldestAt }) })
      }
      return [...counts.values()]
    },
    peek: (limit) => storedIn(isWaiting).slice(0, limit),
    claim({ collection, owner, now, leaseMs }) {
      if (!collections.has(collection)) return { granted: false, until: now }
      const lease = leases.get(collection)
      const isFree = !lease || lease.owner === owner || lease.until <= now || lease.since > now
      if (!isFree) return { granted: false, until: lease.until }
      leases.set(collection, { owner, since: now, until: now + leaseMs })
      return { granted: true }
    },
    release(holder) {
      if (hasLease(holder)) leases.delete(holder.collection)
    },
    nextBatch(collection, limit) {
      const own = catches.filter(({ stored }) => stored.collection === collection)
      const [first] = own
        .flatMap(({ batch }) => (batch && 'token' in batch ? [batch] : []))
        .toSorted((one, other) => one.id - other.id)
      if (first) {
        const frozen = { batch: first.id, token: first.token }
        return { frozen, catches: storedIn(({ batch }) => batch?.id === first.id) }
      }
      return { catches: storedIn(({ stored, batch }) => !batch && stored.collection === collection).slice(0, limit) }
    },
    freeze(holder, seqs, token) {
      const isListed = waitingIn(holder.collection, seqs)
      const isMeant = (one: MemoryCatch) => !one.batch && isListed(one)
      if (!hasLease(holder) || catches.filter(isMeant).length !== seqs.length) return undefined
      const batch = { id: ++lastBatch, token }
      catches = catches.map((one) => (isMeant(one) ? { ...one, batch } : one))
      return batch.id
    },
    acknowledge: (id) => remove(({ batch }) => batch?.id === id && 'token' in batch) > 0,
    requeue(holder, seqs, batchLimit) {
      if (!hasLease(holder)) return false
      move(waitingIn(holder.collection, seqs), undefined, batchLimit)
      return true
    },
    addDeadLetter(holder, which, reason, at) {
      if (!hasLease(holder)) return undefined
      const id = ++lastBatch
      const count = move(waitingIn(holder.collection, which), { id, reason, at })
      return count > 0 ? { id, count } : undefined
    },
    deadLetters(limit) {
      const letters = new Map<number, StoredDeadLetter>()
      for (const { stored, batch } of catches) {
        if (!batch || !('reason' in batch)) continue
        const { kind, user, gamemode } = stored
        const { count, catches: shown } = letters.get(batch.id) ?? { count: 0, catches: [] }
        const first = count < limit ? [...shown, stored] : shown
        letters.set(batch.id, { ...batch, collection: { kind, user, gamemode }, count: count + 1, catches: first })
      }
      return [...letters.values()].toSorted((one, other) => one.id - other.id)
    },
    retry: (ids) => move(inDeadLetters(ids), undefined),
    drop: (ids) => remove(inDeadLetters(ids)),
    cancel({ keyPrefix = '', checkpoint, dryRun }) {
      const isMeant = ({ stored }: MemoryCatch) => (stored.key ?? '').startsWith(keyPrefix)
      const waiting = catches.filter((one) => isMeant(one) && isWaiting(one))
      const frozen = waiting.filter(({ batch }) => batch !== undefined).length
      if (!dryRun) {
        remove((one) => isMeant(one) && one.batch === undefined)
        if (checkpoint) checkpoints.set(checkpoint.name, checkpoint.value)
      }
      return { cancelled: waiting.length - frozen, frozen }
    },
    close() {},
  }
}
