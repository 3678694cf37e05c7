import type { ConformanceStartCode } from '@fish-crab/mocks/conformance'
import { ERROR_CODES } from '@fish-crab/sdk/constants'
import { CliError } from '../core/cli-error.ts'
import { EXIT, type ExitStatus } from '../core/exit.ts'
import { localTime } from '../core/time.ts'
import { TRY_LATER } from './refusal-hints.ts'

const EXITS: Readonly<Record<ConformanceStartCode, ExitStatus>> = {
  unreachable: EXIT.unreachable,
  invalid_credentials: EXIT.credentials,
  rate_limited: EXIT.rateLimited,
  unexpected_answer: EXIT.failure,
}

const HINTS: Readonly<Record<ConformanceStartCode, string>> = {
  unreachable: 'Is the service running, and is the URL (or FISH_URL) right?',
  invalid_credentials: 'Check --admin and FISH_ADMIN_PASSWORD.',
  rate_limited: 'Try again in five minutes.',
  unexpected_answer: 'Is the URL (or FISH_URL) that of a Fish and Crab Collection Service?',
}

/** What is needed of a `ConformanceStartError`; its class is loaded with the checks. */
interface ConformanceStart {
  readonly code: ConformanceStartCode
  readonly message: string
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
}

/** Why the checks of a service could not begin. @param now Milliseconds since 1970 */
export function conformanceFailure({ code, message, status, retryAfterMs }: ConformanceStart, now: number): CliError {
  if (status === ERROR_CODES.unavailable.status) {
    return new CliError({ code: 'unavailable', message, hint: TRY_LATER, exit: EXIT.unreachable })
  }
  const retryAt = retryAfterMs === undefined ? undefined : new Date(now + retryAfterMs)
  const hint = retryAt === undefined ? HINTS[code] : `Try again at ${localTime(retryAt)} (local time).`
  return new CliError({ code, message, hint, exit: EXITS[code], retryAt })
}
