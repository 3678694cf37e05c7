import type { ErrorCode } from '../../contract/error-codes.ts'
import { HEADERS } from '../../contract/headers.ts'
import {
  ApiError,
  type ApiErrorFields,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
} from '../../errors/api-errors.ts'
import { InvalidResponseError } from '../../errors/connection-errors.ts'
import type { Issue, RateLimitState } from '../../errors/fish-crab-error.ts'
import type { Redaction } from './fetch.ts'
import type { RawResponse } from './request.ts'
import { readRateLimit } from './response.ts'

const SHOWN_HEADERS = [
  HEADERS.requestId,
  HEADERS.rateLimit,
  HEADERS.rateRemaining,
  HEADERS.rateReset,
  HEADERS.retryAfter,
  'allow',
  'content-type',
  'date',
]
const LONGEST_MESSAGE = 500

const BY_STATUS: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
}

/**
 * The error for an answer that is no success.
 *
 * @param now This machine's time in milliseconds.
 * @param waitMs How long a 429 asks to wait.
 */
export function apiError(
  answer: RawResponse,
  now: number,
  waitMs: number,
  redact: Redaction,
): ApiError | InvalidResponseError {
  const { status, headers } = answer
  const body = readErrorBody(redact(answer.text))
  const requestId = redact(headers.get(HEADERS.requestId) ?? undefined)
  if (status < 400 && !isRedirect(status)) {
    return new InvalidResponseError(`The answer has the status ${status}, which was not asked for.`, {
      status,
      requestId,
    })
  }
  if (status < 400) {
    const hint = 'Set baseUrl to the address it leads to.'
    return new InvalidResponseError('The answer is a redirect, which is not followed.', { status, requestId, hint })
  }
  const fields: ApiErrorFields = {
    status,
    code: body.code ?? 'unknown',
    requestId,
    headers: shownHeaders(headers, redact),
    rateLimit: readRateLimit(headers),
    details: body.details,
  }
  const message = body.error ?? `The server answered with status ${status} and did not say why.`
  if (status === 429) {
    return new RateLimitError(message, fields, { resetAt: new Date(now + waitMs), retryAfterMs: waitMs })
  }
  const Type = BY_STATUS[status] ?? (status >= 500 ? ServerError : ApiError)
  return new Type(message, fields)
}

// Status 0 is how browsers show a redirect that was not followed.
function isRedirect(status: number): boolean {
  return [0, 301, 302, 303, 307, 308].includes(status)
}

/** The error for a request that was not sent, since its wait would not fit. */
export function rateLimitedLocally(rateLimit: RateLimitState | undefined, now: number, waitMs: number): RateLimitError {
  const resetAt = new Date(now + waitMs)
  return new RateLimitError(
    'The rate limit is used up, and the wait for more is longer than this call may take. Nothing was sent.',
    {
      status: 429,
      code: 'rate_limited' satisfies ErrorCode,
      hint: `Try again at ${resetAt.toISOString()}, or allow a longer maxWaitMs.`,
      headers: {},
      rateLimit,
    },
    { resetAt, retryAfterMs: waitMs },
  )
}

/** Read leniently: a proxy in between may answer with anything, and a newer server with new codes. */
function readErrorBody(text: string): { error?: string; code?: string; details?: Issue[] } {
  const body = parseObject(text)
  const details = Array.isArray(body.details) ? body.details.filter(isIssue) : undefined
  return {
    ...(typeof body.error === 'string' && body.error !== '' ? { error: body.error.slice(0, LONGEST_MESSAGE) } : {}),
    ...(typeof body.code === 'string' ? { code: body.code.slice(0, LONGEST_MESSAGE) } : {}),
    ...(details ? { details: details.map(({ path, message }) => ({ path, message })) } : {}),
  }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function isIssue(value: unknown): value is Issue {
  const issue = value as Partial<Issue> | null
  return typeof issue?.path === 'string' && typeof issue.message === 'string'
}

function shownHeaders(headers: Headers, redact: Redaction): Record<string, string> {
  return Object.fromEntries(
    SHOWN_HEADERS.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, redact(value)]]
    }),
  )
}
