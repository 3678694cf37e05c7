import type { CliError } from './cli-error.ts'
import type { ExitStatus } from './exit.ts'

/** A failure as it is told: the content of `{ "error": … }` under `--json`. What there is not is `null`. */
export interface Failure {
  /** Stable name: the server's `code`, or one of this program's own. */
  readonly code: string
  readonly message: string
  /** The next step to take. */
  readonly hint: string | null
  readonly exit: ExitStatus
  /** Names the request in the server's log. */
  readonly requestId: string | null
  /** When to try again, ISO 8601. */
  readonly retryAt: string | null
}

/** A failure that no answer of the service belongs to. */
export function failure(code: string, message: string, hint: string | undefined, exit: ExitStatus): Failure {
  return { code, message, hint: hint ?? null, exit, requestId: null, retryAt: null }
}

/** A failure that this program found itself, in its own words. */
export function ownFailure({ code, message, hint, exit, retryAt, requestId }: CliError): Failure {
  const when = retryAt?.toISOString() ?? null
  return { ...failure(code, message, hint, exit), retryAt: when, requestId: requestId ?? null }
}
