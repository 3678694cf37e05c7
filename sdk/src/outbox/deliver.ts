import type { CrabInput, FishInput, PayloadEntry } from '../client/resources/catch-input.ts'
import type { AddResult, EncryptedCatches } from '../client/resources/write-catches.ts'
import { type ErrorCode, isErrorCode } from '../contract/error-codes.ts'
import type { Kind } from '../contract/kinds.ts'
import { LIMITS } from '../contract/limits.ts'
import { ApiError, RateLimitError } from '../errors/api-errors.ts'
import { ConnectionError } from '../errors/connection-errors.ts'
import { FishCrabError, ValidationError } from '../errors/fish-crab-error.ts'
import { FernetError } from '../fernet/errors.ts'
import { untilAborted } from '../internal/wait.ts'
import type { Collection, StoredCatch } from './catches.ts'
import type { DeadLetterNotice, Emitter } from './events.ts'
import type { OutboxClient, OutboxSettings } from './options.ts'
import type { OutboxStore } from './store.ts'

export interface Delivery {
  readonly store: OutboxStore
  readonly settings: OutboxSettings
  readonly emitter: Emitter
}

type DeliveryOutcome =
  | { readonly type: 'delivered'; readonly count: number }
  | { readonly type: 'rejected'; readonly notice: DeadLetterNotice }
  /** Nothing was delivered; the next batch has to be read again. */
  | { readonly type: 'again' }
  | { readonly type: 'empty' }
  /** Another process sends a batch. */
  | { readonly type: 'locked' }
  | { readonly type: 'failed'; readonly decision: Decision; readonly error: unknown }

/**
 * Sends the next batch of a collection under the lock. Every step is stored before the next begins: a process that is
 * killed leaves queued catches or a frozen batch, whose token is then sent again.
 */
export async function deliverNext(
  delivery: Delivery,
  collectionId: string,
  client: OutboxClient,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const lock = delivery.store.lock()
  if (!lock) return { type: 'locked' }
  try {
    return await deliver(delivery, collectionId, client, signal)
  } finally {
    lock.close()
  }
}

async function deliver(
  delivery: Delivery,
  collectionId: string,
  client: OutboxClient,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const { store, settings, emitter } = delivery
  // Read under the lock: another process may have sent some since they were counted.
  const { frozen, catches: next } = store.nextBatch(collectionId, settings.maxBatch)
  const [first] = next
  if (!first) return { type: 'empty' }
  const collection = { kind: first.kind, user: first.user, gamemode: first.gamemode }
  const catches = frozen ? next : firstBatch(next, collection, settings.maxBatch)
  const onFailure = (error: unknown) => handleFailure(delivery, collection, catches, !frozen, error)

  let batch = frozen
  if (!batch) {
    const entries = catches.map(({ entry }) => entry)
    const encrypting = await attempt(() => encryptWith(client, collection, entries), signal)
    if ('error' in encrypting) return onFailure(encrypting.error)
    const { token } = encrypting.value
    const id = store.freeze(collectionId, seqsOf(catches), token)
    if (id === undefined) return { type: 'again' }
    batch = { id, token }
  }

  const { id, token } = batch
  const count = catches.length
  emitter.emit({ type: 'sending', collection, count, again: frozen !== undefined })
  const sending = await attempt(() => sendWith(client, { ...collection, token }, signal), signal)
  if ('error' in sending) return onFailure(sending.error)
  store.acknowledge(id)
  emitter.emit({ type: 'delivered', collection, count, id: sending.value.id, replayed: sending.value.replayed })
  return { type: 'delivered', count }
}

function seqsOf(catches: readonly StoredCatch[]): number[] {
  return catches.map(({ seq }) => seq)
}

function handleFailure(
  { store, settings, emitter }: Delivery,
  collection: Collection,
  catches: readonly StoredCatch[],
  fresh: boolean,
  error: unknown,
): DeliveryOutcome {
  const decision = decide(error, { kind: collection.kind, fresh })
  const seqs = seqsOf(catches)
  const [{ collection: id = '', batchLimit } = {}] = catches
  const isSplit = decision.type === 'split' && seqs.length > 1
  if (isSplit || decision.type === 'renew') {
    store.requeue(id, seqs, isSplit ? Math.ceil(seqs.length / 2) : batchLimit)
    return { type: 'again' }
  }
  if (decision.type !== 'split' && decision.type !== 'reject') return { type: 'failed', decision, error }
  const { code, message } = error instanceof FishCrabError ? error : { code: 'unknown', message: 'Unknown error.' }
  const reason = { code, message }
  const deadLetter = store.reject(id, decision.type === 'split' ? seqs : 'all', reason, settings.now())
  if (!deadLetter) return { type: 'again' }
  const notice = { collection, ...deadLetter, reason }
  emitter.emit({ type: 'rejected', ...notice })
  return { type: 'rejected', notice }
}

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
  signal: AbortSignal,
): Promise<AddResult> {
  // The outbox itself waits for the rate limit, without the lock.
  const options = { signal, maxWaitMs: 0 }
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

/**
 * What to do with a batch after a failure.
 *
 * - `wait`: the rate limit; everything that this client sends has to wait until then.
 * - `unreachable`: no response; nothing else that this client sends would get one now.
 * - `stop`: a problem of a server or a proxy, not of the catches; this collection is retried later.
 * - `renew`: the token is too old, or of an old key; the catches are encrypted and sent again.
 * - `split`: the content is rejected; halved until the invalid catch is found, which becomes a dead letter.
 * - `reject`: the user, the key or the form of the request is rejected, as it would be for every batch of the
 *   collection; all of it becomes a dead letter.
 */
type Decision =
  | { readonly type: 'wait'; readonly until: number }
  | { readonly type: 'unreachable' | 'stop' | 'renew' | 'split' | 'reject' }

const TOO_LARGE = 413

/** Rejections of the content of a batch, which was therefore never stored before. */
const OF_CONTENT: readonly ErrorCode[] = ['invalid_payload', 'payload_too_large']

/** Rejections of the collection or the form of the request. */
const OF_COLLECTION: readonly ErrorCode[] = [
  'user_not_found',
  'user_mismatch',
  'gamemode_mismatch',
  'missing_gamemode',
  'invalid_gamemode',
  'missing_name',
  'unsupported_media_type',
]

/**
 * Decides what to do with catches that could not be encrypted or sent.
 *
 * The service reports a stored token as stored, even after a reset of the key or when the token is too old. A rejection by
 * the service therefore means that the batch was not stored, and that encrypting it again stores nothing twice.
 * Responses that may come from elsewhere (401 or 403 of a proxy, 404 of another service, no known code) only stop the
 * collection: its token is kept and sent again.
 *
 * @param fresh Whether the token was created for this attempt.
 */
function decide(error: unknown, { kind, fresh }: { kind: Kind; fresh: boolean }): Decision {
  if (error instanceof RateLimitError) return { type: 'wait', until: error.resetAt.getTime() }
  if (error instanceof ConnectionError) return { type: 'unreachable' }
  if (error instanceof FernetError) return { type: 'reject' }
  if (error instanceof ValidationError) {
    const ofContent = error.issues.every(({ path }) => path === kind || path.startsWith(`${kind}.`))
    return { type: ofContent ? 'split' : 'reject' }
  }
  if (!(error instanceof ApiError)) return { type: 'stop' }
  if (error.status === TOO_LARGE) return { type: 'split' }
  if (!isErrorCode(error.code) || error.status >= 500) return { type: 'stop' }
  if (OF_CONTENT.includes(error.code)) return { type: 'split' }
  if (OF_COLLECTION.includes(error.code)) return { type: 'reject' }
  if (error.code === 'invalid_token') return { type: fresh ? 'reject' : 'renew' }
  // A new token that is too old: this machine's clock is wrong, not the catch.
  if (error.code === 'token_expired') return { type: fresh ? 'stop' : 'renew' }
  return { type: 'stop' }
}
