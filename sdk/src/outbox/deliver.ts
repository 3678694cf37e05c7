import type { FishInput } from '../client/resources/catch-input.ts'
import { type ErrorCode, isErrorCode } from '../contract/error-codes.ts'
import type { Kind } from '../contract/kinds.ts'
import { LIMITS } from '../contract/limits.ts'
import { ApiError } from '../errors/api-errors.ts'
import { FishCrabError, ValidationError } from '../errors/fish-crab-error.ts'
import { FernetError } from '../fernet/errors.ts'
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
  /** `again`: the next batch has to be read again. `locked`: another process sends a batch. */
  | { readonly type: 'again' | 'empty' | 'locked' }

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
  const { store, settings, emit } = delivery
  const lock = store.lock()
  if (!lock) return { type: 'locked' }
  try {
    // Read under the lock: another process may have sent some since they were counted.
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
        // Checked before they were stored.
        const entries = catches.map(({ entry }) => entry) as FishInput[]
        const { user, gamemode } = collection
        const { token } = await untilAborted(() => resource.encrypt(entries, { user, gamemode }), signal)
        const id = store.freeze(collectionId, seqsOf(catches), token)
        if (id === undefined) return { type: 'again' }
        batch = { id, token }
      }
      emit({ type: 'sending', collection, count, again: frozen !== undefined })
      const encrypted = { ...collection, token: batch.token }
      // The outbox itself waits for the rate limit, without the lock.
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
 * - `stop`: the rate limit, no response, or a problem of a server or a proxy; this collection is retried later.
 * - `renew`: the token is too old, or of an old key; the catches are encrypted and sent again.
 * - `split`: the content is rejected; halved until the invalid catch is found, which becomes a dead letter.
 * - `reject`: the user, the key or the form of the request is rejected, as it would be for every batch of the
 *   collection; all of it becomes a dead letter.
 */
type Decision = 'stop' | 'renew' | 'split' | 'reject'

const TOO_LARGE = 413

const BY_CODE: { readonly [Code in ErrorCode]?: Decision } = {
  // The content of a batch, which was therefore never stored before.
  invalid_payload: 'split',
  payload_too_large: 'split',
  // The collection, or the form of the request.
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
 * The service reports a stored token as stored, even after a reset of the key or when the token is too old. A rejection by
 * the service therefore means that the batch was not stored, and that encrypting it again stores nothing twice.
 * Responses that may come from elsewhere (401 or 403 of a proxy, 404 of another service, no known code) only stop the
 * collection: its token is kept and sent again.
 */
function decide({ error, isFresh }: Failure, kind: Kind): Decision {
  if (error instanceof FernetError) return 'reject'
  if (error instanceof ValidationError) {
    return error.issues.every(({ path }) => path === kind || path.startsWith(`${kind}.`)) ? 'split' : 'reject'
  }
  if (!(error instanceof ApiError)) return 'stop'
  if (error.status === TOO_LARGE) return 'split'
  if (!isErrorCode(error.code) || error.status >= 500) return 'stop'
  if (error.code === 'invalid_token') return isFresh ? 'reject' : 'renew'
  // A new token that is too old: this machine's clock is wrong, not the catch.
  if (error.code === 'token_expired') return isFresh ? 'stop' : 'renew'
  return BY_CODE[error.code] ?? 'stop'
}
