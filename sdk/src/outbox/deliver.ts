import type { CrabInput, FishInput, PayloadEntry } from '../client/resources/catch-input.ts'
import type { AddResult, EncryptedCatches } from '../client/resources/write-catches.ts'
import { LIMITS } from '../contract/limits.ts'
import { FishCrabError } from '../errors/fish-crab-error.ts'
import { untilAborted } from '../internal/wait.ts'
import { type Decision, decide } from './decision.ts'
import type { DeadLetterNotice, Emitter } from './events.ts'
import type { OutboxClient, OutboxSettings } from './options.ts'
import type { Collection, LeaseHolder, NextBatch, OutboxStore, StoredCatch } from './store.ts'

export interface Delivery {
  readonly store: OutboxStore
  readonly settings: OutboxSettings
  readonly emitter: Emitter
  /** Identifies this outbox among all that share the store. */
  readonly owner: string
}

type DeliveryOutcome =
  | { readonly type: 'sent'; readonly count: number }
  | { readonly type: 'dead-letter'; readonly notice: DeadLetterNotice }
  /** Nothing was delivered; the next batch has to be read again. */
  | { readonly type: 'again' }
  | { readonly type: 'empty' }
  /** Another process sends this collection. */
  | { readonly type: 'leased'; readonly until: number }
  | { readonly type: 'failed'; readonly decision: Decision; readonly error: unknown }

/**
 * Sends the next batch of a collection under a lease. Every step is stored before the next begins: a process that is
 * killed leaves queued catches or a frozen batch, whose token is then sent again.
 */
export async function deliverNext(
  delivery: Delivery,
  collection: string,
  client: OutboxClient,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const { store, settings, owner } = delivery
  const holder = { collection, owner }
  const lease = await store.claim({ ...holder, now: settings.now(), leaseMs: settings.leaseMs })
  if (!lease.granted) return { type: 'leased', until: lease.until }
  try {
    return await deliver(delivery, holder, await store.nextBatch(collection, settings.maxBatch), client, signal)
  } finally {
    await store.release(holder)
  }
}

async function deliver(
  delivery: Delivery,
  holder: LeaseHolder,
  { frozen, catches: next }: NextBatch,
  client: OutboxClient,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const { store, settings, emitter } = delivery
  const [first] = next
  if (!first) return { type: 'empty' }
  const collection = { kind: first.kind, user: first.user, gamemode: first.gamemode }
  const catches = frozen ? next : firstBatch(next, collection, settings.maxBatch)
  const onFailure = (error: unknown) => handleFailure(delivery, holder, { collection, catches, fresh: !frozen }, error)

  let batch = frozen
  if (!batch) {
    const entries = catches.map(({ entry }) => entry)
    const encrypting = await attempt(() => encryptWith(client, collection, entries), signal)
    if ('error' in encrypting) return onFailure(encrypting.error)
    signal.throwIfAborted()
    const { token } = encrypting.value
    const id = await store.freeze(holder, seqsOf(catches), token)
    // The lease expired and another process took it: its result counts.
    if (id === undefined) return { type: 'again' }
    batch = { batch: id, token }
  }

  const { batch: id, token } = batch
  const count = catches.length
  emitter.emit({ type: 'sending', collection, count, again: frozen !== undefined })
  const sending = await attempt(() => sendWith(client, { ...collection, token }, settings.leaseMs / 2, signal), signal)
  if ('error' in sending) return onFailure(sending.error)
  await store.acknowledge(id)
  emitter.emit({ type: 'sent', collection, count, id: sending.value.id, replayed: sending.value.replayed })
  return { type: 'sent', count }
}

function seqsOf(catches: readonly StoredCatch[]): number[] {
  return catches.map(({ seq }) => seq)
}

/** The catches of one request. */
interface Batch {
  readonly collection: Collection
  readonly catches: readonly StoredCatch[]
  /** Whether the token is created in this attempt. */
  readonly fresh: boolean
}

async function handleFailure(
  { store, settings, emitter }: Delivery,
  holder: LeaseHolder,
  { collection, catches, fresh }: Batch,
  error: unknown,
): Promise<DeliveryOutcome> {
  const decision = decide(error, { kind: collection.kind, fresh })
  const seqs = seqsOf(catches)
  const isSplit = decision.type === 'split' && seqs.length > 1
  if (isSplit || decision.type === 'renew') {
    await store.requeue(holder, seqs, isSplit ? Math.ceil(seqs.length / 2) : catches[0]?.batchLimit)
    return { type: 'again' }
  }
  if (decision.type !== 'split' && decision.type !== 'dead-letter') return { type: 'failed', decision, error }
  const { code, message } = error instanceof FishCrabError ? error : { code: 'unknown', message: 'Unknown error.' }
  const reason = { code, message }
  const which = decision.type === 'split' ? seqs : 'all'
  const deadLetter = await store.addDeadLetter(holder, which, reason, settings.now())
  if (!deadLetter) return { type: 'again' }
  const notice = { collection, ...deadLetter, reason }
  emitter.emit({ type: 'dead-letter', ...notice })
  return { type: 'dead-letter', notice }
}

// The outbox itself waits for the rate limit, without a lease; the client only for its other calls.
const CLIENT_WAIT_MS = 5000

export type Attempt<T> = { readonly value: T } | { readonly error: unknown }

/** @throws the signal's reason if it aborted */
export async function attempt<T>(work: () => Promise<T>, signal: AbortSignal): Promise<Attempt<T>> {
  try {
    return { value: await untilAborted(work, signal) }
  } catch (error) {
    signal.throwIfAborted()
    return { error }
  }
}

function encryptWith(
  { fish, crabs }: OutboxClient,
  { kind, ...target }: Collection,
  entries: readonly PayloadEntry[],
): Promise<EncryptedCatches> {
  // Checked before they were stored.
  return kind === 'fish' ? fish.encrypt(entries as FishInput[], target) : crabs.encrypt(entries as CrabInput[], target)
}

async function sendWith(
  { fish, crabs }: OutboxClient,
  frozen: EncryptedCatches,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<AddResult> {
  const options = { signal, deadlineMs, maxWaitMs: Math.min(CLIENT_WAIT_MS, deadlineMs) }
  return frozen.kind === 'fish' ? await fish.send(frozen, options) : await crabs.send(frozen, options)
}

// Fernet token: version 1, timestamp 8, IV 16, ciphertext in blocks of 16 with at least 1 byte of padding, HMAC 32.
const TOKEN_BYTES_AROUND = 57
const BLOCK_BYTES = 16

const encoder = /* @__PURE__ */ new TextEncoder()

/**
 * The first catches that fit into one request: at most `maxBatch` and the `batchLimit` of each, and not larger than the
 * body limit once encrypted. At least one, if there is one.
 */
function firstBatch(
  catches: readonly StoredCatch[],
  { user, gamemode, kind }: Collection,
  maxBatch: number,
): StoredCatch[] {
  let bytes = byteLength({ user, gamemode, [kind]: [] })
  let limit = Math.min(maxBatch, LIMITS.entriesPerWrite)
  const batch: StoredCatch[] = []
  for (const one of catches) {
    limit = Math.min(limit, one.batchLimit ?? limit)
    bytes += byteLength(one.entry) + 1
    if (batch.length > 0 && (batch.length >= limit || tokenLength(bytes) > LIMITS.bodyBytes)) break
    batch.push(one)
  }
  return batch
}

function tokenLength(bytes: number): number {
  const raw = TOKEN_BYTES_AROUND + BLOCK_BYTES * (Math.floor(bytes / BLOCK_BYTES) + 1)
  return Math.ceil(raw / 3) * 4
}

function byteLength(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length
}
