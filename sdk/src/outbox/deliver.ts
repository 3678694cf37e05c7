import { untilAborted } from '../client/core/timing.ts'
import type { CrabInput, FishInput, PayloadEntry } from '../client/resources/catch-input.ts'
import type { AddResult, EncryptedCatches } from '../client/resources/write-catches.ts'
import { LIMITS } from '../contract/limits.ts'
import { FishCrabError } from '../errors/fish-crab-error.ts'
import { type Decision, decide } from './decision.ts'
import type { Emitter } from './events.ts'
import type { OutboxClient, OutboxSettings } from './options.ts'
import type { Collection, DeadLetterReason, LeaseHolder, NextBatch, OutboxStore, StoredCatch } from './store.ts'

/** What a delivery works with. */
export interface Delivery {
  readonly store: OutboxStore
  readonly settings: OutboxSettings
  readonly emitter: Emitter
  /** Names this outbox among all that share the store. */
  readonly owner: string
}

/** Catches that go out in one request. */
interface Batch {
  readonly collection: Collection
  readonly catches: readonly StoredCatch[]
  /** Whether the token is made in this very try. */
  readonly fresh: boolean
}

/** A batch that was set aside. */
export interface DeadLetterNotice {
  readonly collection: Collection
  /** Names it in `dead`, `retry` and `drop`. */
  readonly id: number
  readonly count: number
  readonly reason: DeadLetterReason
}

/** How one try to send the next batch of a collection ended. */
type DeliveryOutcome =
  | { readonly type: 'sent'; readonly count: number }
  | { readonly type: 'dead-letter'; readonly notice: DeadLetterNotice }
  /** Nothing was delivered, and what is next is to be looked up again. */
  | { readonly type: 'again' }
  | { readonly type: 'empty' }
  /** Another process sends this collection. */
  | { readonly type: 'leased'; readonly until: number }
  | { readonly type: 'failed'; readonly decision: Decision; readonly error: unknown }

/**
 * Sends the next batch of a collection, under a lease: claim, take the frozen batch or seal one, send, acknowledge.
 * Every step is in the store before the next begins, so that a process that is killed anywhere leaves either queued
 * catches or a frozen batch, whose token is then sent again.
 *
 * @throws what the store throws, and the signal's reason.
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

/** What {@link deliverBatch} is about. */
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
  // The lease ran out, and another process took it: what that one did is the truth.
  if (!frozen.value) return { type: 'again' }

  emitter.emit({ type: 'sending', collection, count, again: !fresh })
  const { id, token } = frozen.value
  const answer = await attempt(() => sendWith(client, { ...collection, token }, settings.leaseMs / 2, signal), signal)
  if ('error' in answer) return refuse(delivery, holder, batch, answer.error)
  await store.acknowledge(id)
  emitter.emit({ type: 'sent', collection, count, id: answer.value.id, replayed: answer.value.replayed })
  return { type: 'sent', count }
}

/** The token of a batch and its id in the store, where it is written down before anyone sends it. */
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

/** Does with a batch that could not be frozen or sent what its error asks for. */
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
  if (decision.type === 'part' && seqs.length > 1) {
    await store.requeue(holder, seqs, Math.ceil(seqs.length / 2))
    return { type: 'again' }
  }
  if (decision.type !== 'part' && decision.type !== 'dead-letter') return { type: 'failed', decision, error }
  const reason = reasonOf(error)
  const which = decision.type === 'part' ? seqs : 'all'
  const kept = await store.addDeadLetter(holder, which, reason, settings.now())
  if (!kept) return { type: 'again' }
  const notice = { collection, ...kept, reason }
  emitter.emit({ type: 'dead-letter', ...notice })
  return { type: 'dead-letter', notice }
}

function reasonOf(error: unknown): DeadLetterReason {
  if (error instanceof FishCrabError) return { code: error.code, message: error.message }
  return { code: 'unknown', message: 'It failed for an unknown reason.' }
}

// An outbox waits by itself, without a lease; the client only until its other calls make room.
const CLIENT_WAIT_MS = 5000

/** What work with a client came to: its errors are for the outbox to judge, not to throw. */
export type Attempt<T> = { readonly value: T } | { readonly error: unknown }

/** Tries. @throws the signal's reason, when that is why it failed */
export async function attempt<T>(work: () => Promise<T>, signal: AbortSignal): Promise<Attempt<T>> {
  try {
    return { value: await untilAborted(work, signal) }
  } catch (error) {
    signal.throwIfAborted()
    return { error }
  }
}

/** Encrypts catches that lie in a store. */
function encryptWith(
  { fish, crabs }: OutboxClient,
  { kind, ...target }: Collection,
  entries: readonly PayloadEntry[],
): Promise<EncryptedCatches> {
  // They were checked as the input of their kind before they were stored.
  return kind === 'fish' ? fish.encrypt(entries as FishInput[], target) : crabs.encrypt(entries as CrabInput[], target)
}

/** Posts a token. */
async function sendWith(
  { fish, crabs }: OutboxClient,
  frozen: EncryptedCatches,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<AddResult> {
  const options = { signal, deadlineMs, maxWaitMs: Math.min(CLIENT_WAIT_MS, deadlineMs) }
  return frozen.kind === 'fish' ? await fish.send(frozen, options) : await crabs.send(frozen, options)
}

// A Fernet token is version 1, timestamp 8, IV 16, ciphertext in blocks of 16 with at least 1 byte of padding, HMAC 32.
const TOKEN_BYTES_AROUND = 57
const BLOCK_BYTES = 16

const encoder = /* @__PURE__ */ new TextEncoder()

/** A catch that may go into a batch. */
interface Candidate {
  readonly entry: PayloadEntry
  readonly batchLimit?: number | undefined
}

/**
 * The first of these catches that fit into one request: at most `maxBatch`, as many as each of them allows, and no
 * larger than a body may be once they are encrypted. At least one, if there is one.
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

/** Characters of the token that so many bytes become. */
function tokenLength(bytes: number): number {
  const raw = TOKEN_BYTES_AROUND + BLOCK_BYTES * (Math.floor(bytes / BLOCK_BYTES) + 1)
  return Math.ceil(raw / 3) * 4
}

function byteLength(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length
}
