import {
  ApiError,
  ConnectionError,
  InvalidResponseError,
  RateLimitError,
  ServerError,
  ValidationError,
} from '@fish-crab/sdk'
import type { ErrorCode } from '@fish-crab/sdk/constants'

/** The description of an error, as the page shows it. */
export interface Problem {
  readonly title: string
  /** The next step, as a sentence. */
  readonly next?: string | undefined
  /** Unix time in milliseconds after which a retry can succeed. */
  readonly retryAt?: number | undefined
  /** The id with which the operator finds the request in the log. */
  readonly requestId?: string | undefined
}

/** Error messages by code, each with the next step. */
const PROBLEMS: Partial<Readonly<Record<ErrorCode, readonly [title: string, next: string]>>> = {
  invalid_credentials: ['The name or the password is wrong.', 'Letter case matters in the password.'],
  forbidden: ['Your role does not allow this.', 'Ask a superadmin to do it.'],
  user_not_found: ['No player has this name.', 'Check the spelling, or search the list of players.'],
  admin_not_found: ['No administrator has this name.', 'Another administrator may have removed it. Reload the list.'],
  entry_not_found: ['This catch no longer exists.', 'Somebody else may have removed it. Reload the list.'],
  record_not_found: ['These catches no longer exist.', 'Somebody else may have changed them. Reload the list.'],
  user_exists: ['A player of this name exists already.', 'Letter case makes no difference. Choose another name.'],
  admin_exists: ['An administrator of this name exists already.', 'Choose another name.'],
  last_superadmin: ['The last superadmin cannot be removed.', 'Make another superadmin first.'],
  payload_too_large: ['The request is too large.', 'Use shorter names or fewer catches.'],
  unavailable: ['The storage of the server is unreachable, or the server is busy.', 'Try again in a moment.'],
  storage_error: ['The storage of the server failed.', 'Try again in a moment.'],
}

/** Options of {@link problemOf}. */
export interface ProblemOptions {
  readonly now: number
  /** The next step if the response to a write is lost: how to check whether the write succeeded. */
  readonly ifUnknown?: string | undefined
  /** The noun after “Too many”. @default requests */
  readonly limited?: string | undefined
}

/**
 * Describes an error of the SDK. The description contains no secrets: SDK errors contain none, and other errors are
 * described only by their class.
 */
export function problemOf(error: unknown, { now, ifUnknown, limited = 'requests' }: ProblemOptions): Problem {
  if (error instanceof RateLimitError) {
    return { title: `Too many ${limited}.`, retryAt: now + error.retryAfterMs }
  }
  if (error instanceof ValidationError) {
    return { title: error.issues.map(({ message }) => message).join(' ') }
  }
  const requestId = error instanceof ApiError ? error.requestId : undefined
  const isLost =
    error instanceof ConnectionError || error instanceof InvalidResponseError || isFailure(error, 'unavailable')
  if (isLost && ifUnknown !== undefined) {
    return { title: 'It is unknown whether this was done: no valid response came back.', next: ifUnknown, requestId }
  }
  if (error instanceof ConnectionError) {
    return { title: 'The server does not respond.', next: 'Check your connection, and try again.' }
  }
  if (error instanceof InvalidResponseError) {
    return {
      title: 'The response is not from the service.',
      next: 'A proxy may have sent it. Reload the page.',
      requestId: error.requestId,
    }
  }
  if (error instanceof ApiError) {
    const known = Object.hasOwn(PROBLEMS, error.code) ? PROBLEMS[error.code as ErrorCode] : undefined
    if (known) return { title: known[0], next: known[1], ...(error.status >= 500 ? { requestId } : {}) }
    const details = (error.details ?? []).map(({ message }) => message)
    if (error.status < 500) return { title: [error.summary, ...details].join(' ') }
    return { title: 'The server has a problem.', next: 'Try again in a moment.', requestId }
  }
  const name = error instanceof Error ? error.name : typeof error
  return { title: `This page has a mistake (${name}).`, next: 'Reload it, and report what you did.' }
}

/** Whether the server failed with an error that does not rule out a completed write. */
function isFailure(error: unknown, harmless: ErrorCode): boolean {
  return error instanceof ServerError && error.code !== harmless
}
