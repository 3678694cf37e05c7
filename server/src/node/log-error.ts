import { Failure } from '../app/http/failure.ts'
import { SealError } from '../app/users/vault.ts'
import { StorageError } from '../storage/errors.ts'
import { SecretsError } from './secrets-file.ts'

/** An error as it stands in the log. */
export interface LoggedError {
  readonly name: string
  readonly code?: string | number
  /** Absent where it was written by others. */
  readonly message?: string
  /** The frames, without the message that a stack begins with. */
  readonly stack?: readonly string[]
  readonly cause?: LoggedError
}

const OWN = [Failure, StorageError, SealError, SecretsError]
const MOST_CAUSES = 4
const MOST_FRAMES = 12

/**
 * What may be logged of an error. Only the messages of the service's own errors are known to quote nothing: those of
 * others repeat input (`JSON.parse`), arguments (Node) or commands (ioredis), and carry them as fields.
 */
export function loggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { name: typeof error }
  const { cause, stack } = error
  const { code } = error as { readonly code?: unknown }
  const frames = stack?.split('\n').filter((line) => /^\s+at /.test(line))
  return {
    name: error.name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(OWN.some((type) => error instanceof type) ? { message: error.message } : {}),
    ...(frames ? { stack: frames.slice(0, MOST_FRAMES).map((line) => line.trim()) } : {}),
    ...(cause === undefined || depth >= MOST_CAUSES ? {} : { cause: loggedError(cause, depth + 1) }),
  }
}
