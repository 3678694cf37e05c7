import { CliError } from '../core/cli-error.ts'
import { describeFailure } from '../runtime/describe-failure.ts'
import { queuedText } from './catches-text.ts'

const NEXT = 'fish-cli outbox flush'

/** What kept catches from being sent, with where they are: whoever gives them again would add them twice. */
export function stillQueued(error: unknown, left: number): CliError {
  const { code, message, hint, exit, retryAt, requestId } = describeFailure(error)
  return new CliError({
    code,
    message: `${message} ${queuedText(left)}`,
    hint: hint === null ? `Send them: ${NEXT}` : `${hint} Then send them: ${NEXT}`,
    exit,
    retryAt: retryAt === null ? undefined : new Date(retryAt),
    requestId: requestId ?? undefined,
  })
}
