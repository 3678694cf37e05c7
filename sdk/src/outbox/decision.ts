import { type ErrorCode, isErrorCode } from '../contract/error-codes.ts'
import type { Kind } from '../contract/kinds.ts'
import { ApiError, RateLimitError } from '../errors/api-errors.ts'
import { ConnectionError } from '../errors/connection-errors.ts'
import { ValidationError } from '../errors/fish-crab-error.ts'
import { FernetError } from '../fernet/errors.ts'

/**
 * What a failure means for a batch.
 *
 * - `wait`: the rate limit; all that this client sends has to wait until then.
 * - `unreachable`: no answer; nothing else that this client sends will have one now.
 * - `stop`: the state of a server or a proxy, not of the catches; this collection is tried again later.
 * - `renew`: the token is too old or of an old key; the catches are encrypted anew and sent.
 * - `part`: the content is refused; parted until the one catch is found that is to blame, and that is set aside.
 * - `dead-letter`: the user, the key or the form of the request is refused, and so would be all that the collection
 *   holds; all of it is set aside.
 */
export type Decision =
  | { readonly type: 'wait'; readonly until: number }
  | { readonly type: 'unreachable' | 'stop' | 'renew' | 'part' | 'dead-letter' }

const TOO_LARGE = 413

/** Refusals of what a batch holds. They judge the content alone, so the same batch was never stored before. */
const OF_CONTENT: readonly ErrorCode[] = ['invalid_payload', 'payload_too_large']

/** Refusals of whose the batch is and how it was sent. */
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
 * Judges why catches could not be frozen or sent.
 *
 * The service answers a token that it stored, whatever became of user's key or the token's age since. So a
 * refusal of the service means that the batch was not stored, and that encrypting it anew stores nothing twice.
 * Whatever might come from elsewhere (a proxy's 401 or 403, a 404 of another service, an answer without a known code)
 * only stops: the token is kept, and sent again.
 *
 * @param fresh Whether the token was made for this very try.
 */
export function decide(error: unknown, { kind, fresh }: { kind: Kind; fresh: boolean }): Decision {
  if (error instanceof RateLimitError) return { type: 'wait', until: error.resetAt.getTime() }
  if (error instanceof ConnectionError) return { type: 'unreachable' }
  if (error instanceof FernetError) return { type: 'dead-letter' }
  if (error instanceof ValidationError) {
    const ofContent = error.issues.every(({ path }) => path === kind || path.startsWith(`${kind}.`))
    return { type: ofContent ? 'part' : 'dead-letter' }
  }
  if (!(error instanceof ApiError)) return { type: 'stop' }
  if (error.status === TOO_LARGE) return { type: 'part' }
  if (!isErrorCode(error.code) || error.status >= 500) return { type: 'stop' }
  if (OF_CONTENT.includes(error.code)) return { type: 'part' }
  if (OF_COLLECTION.includes(error.code)) return { type: 'dead-letter' }
  if (error.code === 'invalid_token') return { type: fresh ? 'dead-letter' : 'renew' }
  // A new token that is too old: the clock of this machine is wrong, which is not the fault of the catch.
  if (error.code === 'token_expired') return { type: fresh ? 'stop' : 'renew' }
  return { type: 'stop' }
}
