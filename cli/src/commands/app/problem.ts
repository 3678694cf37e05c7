import type { AppProblem } from '../../../../server/web/src/player-app/api-types.ts'
import { describeError } from '../../core/describe-error.ts'
import { CliError } from '../../core/errors.ts'
import { timeOfDay } from '../../core/time.ts'
import { textForPage } from './app-terminal.ts'

const CHECK_SERVICE = 'Check that this computer is online, and that the address of the service is right.'
const UNREACHABLE = { message: 'The service does not respond.', hint: CHECK_SERVICE }

/** Texts for the page, where the usual texts name commands or codes of the system. */
const TEXTS: Readonly<Record<string, Partial<AppProblem>>> = {
  unreachable: UNREACHABLE,
  timeout: UNREACHABLE,
  bad_gateway: UNREACHABLE,
  invalid_response: { hint: CHECK_SERVICE },
  not_found: { hint: CHECK_SERVICE },
  log_not_found: { hint: 'Start the game once, so that it writes a log. Then press Start.' },
  log_not_readable: { hint: 'Close programs that use this log, and try again.' },
  user_suspended: { hint: 'Your catches stay on this computer, and are sent when the suspension ends.' },
  token_expired: { hint: 'Set the clock of this computer.' },
}

/** Describes an error on the page, which knows no commands. */
export function problemFor(error: unknown): AppProblem {
  const { code, message, hint, retryAt } = describeError(error)
  const retry = retryAt === null ? {} : { hint: `Try again at ${timeOfDay(Date.parse(retryAt))}.` }
  const usualHint = textForPage(hint?.split('\n') ?? []).join(' ') || null
  return {
    message: textForPage(message).join(' ') || 'Fish Collection has failed.',
    hint: usualHint,
    ...(error instanceof CliError ? { hint: TEXTS[code]?.hint ?? usualHint } : TEXTS[code]),
    ...retry,
  }
}
