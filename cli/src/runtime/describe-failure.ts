import {
  type ApiError,
  type ConnectionError,
  isApiError,
  isConnectionError,
  isFernetError,
  isFishCrabError,
  isInvalidResponseError,
  isRateLimitError,
  isTimeoutError,
  isValidationError,
} from '@fish-crab/sdk'
import { CliError } from '../core/cli-error.ts'
import { EXIT, type ExitStatus } from '../core/exit.ts'
import { type Failure, failure, ownFailure } from '../core/failure.ts'
import type { Rights } from '../core/rights.ts'
import { exitOfRefusal, isForeign } from './exit-of-refusal.ts'
import { limitHint, refusalHint, SET_KEY_ANEW, TRY_LATER, WRONG_ADDRESS } from './refusal-hints.ts'
import { validationFailure } from './validation-failure.ts'

/**
 * What a thrown value means to who typed the command.
 *
 * @param needs Whose rights the command takes.
 */
export function describeFailure(error: unknown, needs: Rights = 'player'): Failure {
  if (error instanceof CliError) return ownFailure(error)
  if (isRateLimitError(error)) {
    const answer = ofAnswer(error, limitHint(error.resetAt, needs), EXIT.rateLimited)
    return { ...answer, retryAt: error.resetAt.toISOString() }
  }
  if (isApiError(error)) {
    const answer = ofAnswer(error, refusalHint(error.status, error.code, needs), exitOfRefusal(error))
    return isForeign(error) ? { ...answer, code: 'invalid_response' } : answer
  }
  if (isConnectionError(error)) {
    const { code, summary, proxy } = error
    // Then the hint is about the proxy, and the same everywhere.
    if (proxy !== undefined) return failure(code, summary, error.hint, EXIT.unreachable)
    const isLate = isTimeoutError(error)
    const hint = isLate ? TRY_LATER : unreachableHint(error)
    return failure(isLate ? code : 'unreachable', summary, hint, EXIT.unreachable)
  }
  if (isInvalidResponseError(error)) {
    const hint =
      error.status >= 300 && error.status < 400 ? 'Set --url (or FISH_URL) to the address it leads to.' : WRONG_ADDRESS
    return { ...failure(error.code, error.summary, hint, EXIT.failure), requestId: error.requestId ?? null }
  }
  if (isValidationError(error)) return validationFailure(error)
  if (isFernetError(error)) return failure(error.code, error.summary, SET_KEY_ANEW, EXIT.credentials)
  // Whatever else the SDK throws says itself what happened and what to do.
  if (isFishCrabError(error)) return failure(error.code, error.summary, error.hint, EXIT.failure)
  return ofMistake(error)
}

function ofAnswer(error: ApiError, hint: string | undefined, exit: ExitStatus): Failure {
  const details = (error.details ?? []).map(({ path, message }) => ` ${path}: ${message}.`)
  return {
    // One line: what a service says must not look like lines of this program.
    ...failure(error.code, `${error.summary}${details.join('')}`.replace(/\s*[\r\n]\s*/g, ' '), hint, exit),
    requestId: error.requestId ?? null,
  }
}

/** Whether the certificate of what answers is not trusted here. */
export function isUntrusted({ systemCode = '' }: ConnectionError): boolean {
  return /CERT|_SIGNATURE|ERR_TLS/.test(systemCode)
}

function unreachableHint(error: ConnectionError): string {
  const { systemCode } = error
  if (systemCode === 'ENOTFOUND' || systemCode === 'EAI_AGAIN') {
    return 'Is the name of the host in --url (or FISH_URL) right, and is this machine online?'
  }
  if (isUntrusted(error)) {
    return 'The certificate of the service is not trusted here; NODE_EXTRA_CA_CERTS names a file of others to trust.'
  }
  return 'Is the service running, and is --url (or FISH_URL) right?'
}

/** A mistake of this program. Its message may quote anything, a secret too, so only its kind and place are told. */
function ofMistake(error: unknown): Failure {
  const { name, stack } = error instanceof Error ? error : { name: typeof error, stack: undefined }
  const place = stack
    ?.split('\n')
    .find((line) => /^\s+at /.test(line))
    ?.trim()
  const message = `fish-cli failed in a way it should not (${name}${place ? ` ${place}` : ''}).`
  return failure(
    'internal_error',
    message,
    'Please report it with the command you typed, without secrets.',
    EXIT.failure,
  )
}
