import type { FishInput } from '../client/resources/catch-input.ts'
import { type ErrorCode, isErrorCode } from '../contract/error-codes.ts'
import type { Kind } from '../contract/kinds.ts'
import { LIMITS } from '../contract/limits.ts'
import { ApiError } from '../errors/api-errors.ts'
import { FernetError, FishCrabError, ValidationError } from '../errors/fish-crab-error.ts'
import { untilAborted } from '../internal/wait.ts'
import type { Collection, StoredCatch } from './catches.ts'
import { OutboxStoreError } from './errors.ts'
import type { OutboxClient, OutboxSettings } from './options.ts'
import type { DeadLetterNotice, OutboxEvent } from './outbox.ts'
import type { OutboxStore } from './store.ts'

export interface Delivery {
  readonly store: OutboxStore
  readonly settings: OutboxSettings
  readonly emit: (event: OutboxEvent) => void
}

type DeliveryOutcome =
  | { readonly type: 'delivered'; readonly count: number }
  | { readonly type: 'rejected'; readonly notice: DeadLetterNotice }
  /** The batch stays queued. */
  | { readonly type: 'failed'; readonly error: unknown }
  /**
   * `again`: the next batch must be read again. `empty`: no catch is pending. `locked`: another process is sending a
   * batch.
   */
  | { readonly type: 'again' | 'empty' | 'locked' }

/**
 * Sends the next batch of a collection under the lock. Every step is stored before the next step begins. A killed
 * process therefore leaves queued catches or a frozen batch, and the token of a frozen batch is sent again.
 */
export async function deliverNext(
  delivery: Delivery,
  collectionId: string,
  client: OutboxClient,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const { store, settings, emit } = delivery
  const lock = store.lock()
  if (!lock) return { type: 'locked' }
  try {
    // The batch is read under the lock, because another process may have sent some catches since the count.
    const { frozen, catches: next } = store.nextBatch(collectionId, settings.maxBatch)
    const [first] = next
    if (!first) return { type: 'empty' }
    const collection = { kind: first.kind, user: first.user, gamemode: first.gamemode }
    const catches = frozen ? next : firstBatch(next, collection, settings.maxBatch)
    const count = catches.length
    const resource = first.kind === 'fish' ? client.fish : client.crabs
    try {
      let batch = frozen
      if (!batch) {
        // The entries were checked before they were stored.
        const entries = catches.map(({ entry }) => entry) as FishInput[]
        const { user, gamemode } = collection
        const { token } = await untilAborted(() => resource.encrypt(entries, { user, gamemode }), signal)
        const id = store.freeze(collectionId, seqsOf(catches), token)
        if (id === undefined) return { type: 'again' }
        batch = { id, token }
      }
      emit({ type: 'sending', collection, count, again: frozen !== undefined })
      const encrypted = { ...collection, token: batch.token }
      // `maxWaitMs` is 0, because the outbox releases the lock before it waits for the rate limit.
      const { id, replayed } = await untilAborted(
        async () => resource.send(encrypted, { signal, maxWaitMs: 0 }),
        signal,
      )
      store.acknowledge(batch.id)
      emit({ type: 'delivered', collection, count, id, replayed })
      return { type: 'delivered', count }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof OutboxStoreError) throw error
      return handleFailure(delivery, { collection, catches, isFresh: !frozen, error })
    }
  } finally {
    lock.close()
  }
}

interface Failure {
  readonly collection: Collection
  readonly catches: readonly StoredCatch[]
  /** Whether the token was created for this attempt. */
  readonly isFresh: boolean
  readonly error: unknown
}

function handleFailure({ store, settings, emit }: Delivery, failure: Failure): DeliveryOutcome {
  const { collection, catches, error } = failure
  const decision = decide(failure, collection.kind)
  if (decision === 'stop') return { type: 'failed', error }
  const seqs = seqsOf(catches)
  const [{ collection: id = '', batchLimit } = {}] = catches
  const isHalved = decision === 'split' && seqs.length > 1
  if (isHalved || decision === 'renew') {
    store.requeue(id, seqs, isHalved ? Math.ceil(seqs.length / 2) : batchLimit)
    return { type: 'again' }
  }
  const { code, message } = error instanceof FishCrabError ? error : { code: 'unknown', message: 'Unknown error.' }
  const reason = { code, message }
  const deadLetter = store.reject(id, decision === 'split' ? seqs : 'all', reason, settings.now())
  if (!deadLetter) return { type: 'again' }
  const notice = { collection, ...deadLetter, reason }
  emit({ type: 'rejected', ...notice })
  return { type: 'rejected', notice }
}

function seqsOf(catches: readonly StoredCatch[]): number[] {
  return catches.map(({ seq }) => seq)
}

// Sizes in bytes of a Fernet token: version 1, timestamp 8, IV 16, ciphertext in blocks of 16 with at least 1 byte of
// padding, HMAC 32.
const TOKEN_BYTES_AROUND = 57
const BLOCK_BYTES = 16

const encoder = /* @__PURE__ */ new TextEncoder()

/**
 * Returns the first catches that fit into one request: at most `maxBatch` catches, at most the `batchLimit` of each
 * catch, and at most the body limit after encryption. Always returns the first catch, if there is any.
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
 * - `stop`: the rate limit, a missing response, or a problem of a server or proxy prevents delivery. The collection is
 *   retried later.
 * - `renew`: the token is too old or was encrypted with an old key. The catches are encrypted and sent again.
 * - `split`: the content is rejected. The batch is halved until the invalid catch is found, and this catch becomes a
 *   dead letter.
 * - `reject`: the user, the key or the format of the request is rejected, so every batch of the collection would be
 *   rejected. All pending catches of the collection become a dead letter.
 */
type Decision = 'stop' | 'renew' | 'split' | 'reject'

const TOO_LARGE = 413

const BY_CODE: { readonly [Code in ErrorCode]?: Decision } = {
  // These codes reject the content of a batch, so the batch was never stored.
  invalid_payload: 'split',
  payload_too_large: 'split',
  // These codes reject the collection or the format of the request.
  user_not_found: 'reject',
  user_mismatch: 'reject',
  gamemode_mismatch: 'reject',
  missing_gamemode: 'reject',
  invalid_gamemode: 'reject',
  missing_name: 'reject',
  unsupported_media_type: 'reject',
}

/**
 * Decides what to do with catches that could not be encrypted or sent.
 *
 * The service recognises a stored token even after a key reset or when the token is too old. A rejection by the service
 * therefore means that the batch was not stored, and sending a batch with a new token stores nothing twice. A response
 * may also come from another server: a 401 or 403 from a proxy, a 404 from another service, or an unknown code. Such a
 * response stops the collection for now: the outbox keeps the token and sends the token again later.
 */
function decide({ error, isFresh }: Failure, kind: Kind): Decision {
  if (error instanceof FernetError) return 'reject'
  if (error instanceof ValidationError) {
    return error.issues.every(({ path }) => path === kind || path.startsWith(`${kind}.`)) ? 'split' : 'reject'
  }
  if (!(error instanceof ApiError) || error.mayHaveChanged) return 'stop'
  if (error.status === TOO_LARGE) return isFresh || isErrorCode(error.code) ? 'split' : 'stop'
  if (!isErrorCode(error.code) || error.status >= 500) return 'stop'
  if (error.code === 'invalid_token') return isFresh ? 'reject' : 'renew'
  // If a new token is too old, this machine's clock is wrong, and the catches stay queued.
  if (error.code === 'token_expired') return isFresh ? 'stop' : 'renew'
  return BY_CODE[error.code] ?? 'stop'
}
