import type { CrabInput, FishInput, PayloadEntry } from '../client/resources/catch-input.ts'
import type { AddResult, EncryptedCatches } from '../client/resources/write-catches.ts'
import { LIMITS } from '../contract/limits.ts'
import { FishCrabError } from '../errors/fish-crab-error.ts'
import { untilAborted } from '../internal/wait.ts'
import { type Decision, decide } from './decision.ts'
import type { Emitter } from './events.ts'
import type { OutboxClient, OutboxSettings } from './options.ts'
import type { Collection, DeadLetterReason, LeaseHolder, NextBatch, OutboxStore, StoredCatch } from './store.ts'

export interface Delivery {
  readonly store: OutboxStore
  readonly settings: OutboxSettings
  readonly emitter: Emitter
  /** Identifies this outbox among all that share the store. */
  readonly owner: string
}

/** The catches of one request. */
interface Batch {
  readonly collection: Collection
  readonly catches: readonly StoredCatch[]
  /** Whether the token is created in this attempt. */
  readonly fresh: boolean
}

/** A batch that became a dead letter. */
export interface DeadLetterNotice {
  readonly collection: Collection
  /** Its id in `deadLetters`, `retry` and `drop`. */
  readonly id: number
  readonly count: number
  readonly reason: DeadLetterReason
}

/** The result of an attempt to send the next batch of a collection. */
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
 * Sends the next batch of a collection under a lease: claim, take the frozen batch or freeze one, send, acknowledge.
 * Every step is stored before the next begins: a process that is killed leaves queued catches or a frozen batch, whose
 * token is then sent again.
 *
 * @throws the errors of the store, and the signal's reason.
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
    const head = await store.nextBatch(collection, settings.maxBatch)
    const batch = batchOf(head, settings.maxBatch)
    return batch ? await deliverBatch(delivery, holder, { head, batch, client, signal }) : { type: 'empty' }
  } finally {
    await store.release(holder)
  }
}

interface Job {
  readonly head: NextBatch
  readonly batch: Batch
  readonly client: OutboxClient
  readonly signal: AbortSignal
}

async function deliverBatch(delivery: Delivery, holder: LeaseHolder, job: Job): Promise<DeliveryOutcome> {
  const { store, settings, emitter } = delivery
  const { batch, client, signal } = job
  const { collection, fresh } = batch
  const count = batch.catches.length
  const frozen = await frozenBatch(delivery, holder, job)
  if ('error' in frozen) return refuse(delivery, holder, batch, frozen.error)
  // The lease expired and another process took it: its result counts.
  if (!frozen.value) return { type: 'again' }

  emitter.emit({ type: 'sending', collection, count, again: !fresh })
  const { id, token } = frozen.value
  const response = await attempt(() => sendWith(client, { ...collection, token }, settings.leaseMs / 2, signal), signal)
  if ('error' in response) return refuse(delivery, holder, batch, response.error)
  await store.acknowledge(id)
  emitter.emit({ type: 'sent', collection, count, id: response.value.id, replayed: response.value.replayed })
  return { type: 'sent', count }
}

/** The token and id of a batch. Both are in the store before the token is sent. */
async function frozenBatch(
  { store }: Delivery,
  holder: LeaseHolder,
  { head, batch, client, signal }: Job,
): Promise<Attempt<{ readonly id: number; readonly token: string } | undefined>> {
  if (head.frozen) return { value: { id: head.frozen.batch, token: head.frozen.token } }
  const entries = batch.catches.map(({ entry }) => entry)
  const encrypting = await attempt(() => encryptWith(client, batch.collection, entries), signal)
  if ('error' in encrypting) return encrypting
  signal.throwIfAborted()
  const { token } = encrypting.value
  const seqs = batch.catches.map(({ seq }) => seq)
  const id = await store.freeze(holder, seqs, token)
  return { value: id === undefined ? undefined : { id, token } }
}

function batchOf({ frozen, catches }: NextBatch, maxBatch: number): Batch | undefined {
  const [first] = catches
  if (!first) return undefined
  const collection = { kind: first.kind, user: first.user, gamemode: first.gamemode }
  if (frozen) return { collection, catches, fresh: false }
  return { collection, catches: firstBatch(catches, collection, maxBatch), fresh: true }
}

/** Handles a batch that could not be encrypted or sent. */
async function refuse(
  { store, settings, emitter }: Delivery,
  holder: LeaseHolder,
  { collection, catches, fresh }: Batch,
  error: unknown,
): Promise<DeliveryOutcome> {
  const decision = decide(error, { kind: collection.kind, fresh })
  const seqs = catches.map(({ seq }) => seq)
  if (decision.type === 'renew') {
    await store.requeue(holder, seqs, catches[0]?.batchLimit)
    return { type: 'again' }
  }
  if (decision.type === 'split' && seqs.length > 1) {
    await store.requeue(holder, seqs, Math.ceil(seqs.length / 2))
    return { type: 'again' }
  }
  if (decision.type !== 'split' && decision.type !== 'dead-letter') return { type: 'failed', decision, error }
  const reason = reasonOf(error)
  const which = decision.type === 'split' ? seqs : 'all'
  const deadLetter = await store.addDeadLetter(holder, which, reason, settings.now())
  if (!deadLetter) return { type: 'again' }
  const notice = { collection, ...deadLetter, reason }
  emitter.emit({ type: 'dead-letter', ...notice })
  return { type: 'dead-letter', notice }
}

function reasonOf(error: unknown): DeadLetterReason {
  if (error instanceof FishCrabError) return { code: error.code, message: error.message }
  return { code: 'unknown', message: 'Unknown error.' }
}

// The outbox itself waits for the rate limit, without a lease; the client only for its other calls.
const CLIENT_WAIT_MS = 5000

/** The result of work with a client. The outbox decides about its errors. */
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

interface Candidate {
  readonly entry: PayloadEntry
  readonly batchLimit?: number | undefined
}

/**
 * The first catches that fit into one request: at most `maxBatch` and the `batchLimit` of each, and not larger than the
 * body limit once encrypted. At least one, if there is one.
 */
function firstBatch<Catch extends Candidate>(
  catches: readonly Catch[],
  { user, gamemode, kind }: Collection,
  maxBatch: number,
): Catch[] {
  let bytes = byteLength({ user, gamemode, [kind]: [] })
  let limit = Math.min(maxBatch, LIMITS.entriesPerWrite)
  const batch: Catch[] = []
  for (const one of catches) {
    limit = Math.min(limit, one.batchLimit ?? limit)
    bytes += byteLength(one.entry) + 1
    if (batch.length > 0 && (batch.length >= limit || tokenLength(bytes) > LIMITS.bodyBytes)) break
    batch.push(one)
  }
  return batch
}

/** Length of the token for a message of that many bytes. */
function tokenLength(bytes: number): number {
  const raw = TOKEN_BYTES_AROUND + BLOCK_BYTES * (Math.floor(bytes / BLOCK_BYTES) + 1)
  return Math.ceil(raw / 3) * 4
}

function byteLength(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length
}
