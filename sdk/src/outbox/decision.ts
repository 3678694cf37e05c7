import { type ErrorCode, isErrorCode } from '../contract/error-codes.ts'
import type { Kind } from '../contract/kinds.ts'
import { ApiError, RateLimitError } from '../errors/api-errors.ts'
import { ConnectionError } from '../errors/connection-errors.ts'
import { ValidationError } from '../errors/fish-crab-error.ts'
import { FernetError } from '../fernet/errors.ts'

/**
 * What to do with a batch after a failure.
 *
 * - `wait`: the rate limit; everything that this client sends has to wait until then.
 * - `unreachable`: no response; nothing else that this client sends would get one now.
 * - `stop`: a problem of a server or a proxy, not of the catches; this collection is retried later.
 * - `renew`: the token is too old, or of an old key; the catches are encrypted and sent again.
 * - `split`: the content is rejected; halved until the invalid catch is found, which becomes a dead letter.
 * - `dead-letter`: the user, the key or the form of the request is rejected, as it would be for every batch of the
 *   collection; all of it becomes a dead letter.
 */
export type Decision =
  | { readonly type: 'wait'; readonly until: number }
  | { readonly type: 'unreachable' | 'stop' | 'renew' | 'split' | 'dead-letter' }

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
export function decide(error: unknown, { kind, fresh }: { kind: Kind; fresh: boolean }): Decision {
  if (error instanceof RateLimitError) return { type: 'wait', until: error.resetAt.getTime() }
  if (error instanceof ConnectionError) return { type: 'unreachable' }
  if (error instanceof FernetError) return { type: 'dead-letter' }
  if (error instanceof ValidationError) {
    const ofContent = error.issues.every(({ path }) => path === kind || path.startsWith(`${kind}.`))
    return { type: ofContent ? 'split' : 'dead-letter' }
  }
  if (!(error instanceof ApiError)) return { type: 'stop' }
  if (error.status === TOO_LARGE) return { type: 'split' }
  if (!isErrorCode(error.code) || error.status >= 500) return { type: 'stop' }
  if (OF_CONTENT.includes(error.code)) return { type: 'split' }
  if (OF_COLLECTION.includes(error.code)) return { type: 'dead-letter' }
  if (error.code === 'invalid_token') return { type: fresh ? 'dead-letter' : 'renew' }
  // A new token that is too old: this machine's clock is wrong, not the catch.
  if (error.code === 'token_expired') return { type: fresh ? 'stop' : 'renew' }
  return { type: 'stop' }
}
