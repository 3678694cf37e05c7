import type { ErrorCode } from '../../contract/error-codes.ts'
import { HEADERS } from '../../contract/headers.ts'
import {
  ApiError,
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
import type { Redactor } from './request.ts'
import type { ApiResponse } from './response.ts'

const PUBLIC_HEADERS = [
  HEADERS.requestId,
  HEADERS.rateLimit,
  HEADERS.rateRemaining,
  HEADERS.rateReset,
  HEADERS.retryAfter,
  'allow',
  'content-type',
  'date',
]
const MAX_MESSAGE_LENGTH = 500
const MAX_DETAILS = 20

const BY_STATUS: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
}

/** @param waitMs Milliseconds until the request may be sent again; used for status 429. */
export function apiError(
  response: ApiResponse,
  now: number,
  waitMs: number,
  redact: Redactor,
): ApiError | InvalidResponseError {
  const { status, headers, text, requestId, rateLimit } = response
  if (isRedirect(status)) {
    const hint = 'Set baseUrl to the address that it redirects to.'
    return new InvalidResponseError('The response is a redirect, which is not followed.', { status, requestId, hint })
  }
  if (status < 400) return new InvalidResponseError(`Unexpected response status ${status}.`, { status, requestId })
  const code = serviceErrorCode(response)
  const { error, details } = readErrorBody(redact(text))
  const fields = {
    status,
    code: code ?? 'unknown',
    requestId,
    headers: publicHeaders(headers, redact),
    rateLimit,
    details,
    ...(code === undefined && status < 500 && { hint: 'Another server may have responded: check baseUrl.' }),
  }
  const message = error ?? `The server responded with status ${status}.`
  if (status === 429) {
    return new RateLimitError(message, fields, { resetAt: new Date(now + waitMs), retryAfterMs: waitMs })
  }
  const Type = status >= 500 ? ServerError : (code !== undefined && BY_STATUS[status]) || ApiError
  return new Type(message, fields)
}

// In browsers, a redirect that was not followed has the status 0.
function isRedirect(status: number): boolean {
  return [0, 301, 302, 303, 307, 308].includes(status)
}

/** Creates the error for a request that was not sent, because the wait would exceed `maxWaitMs`. */
export function localRateLimitError(
  rateLimit: RateLimitState | undefined,
  now: number,
  waitMs: number,
): RateLimitError {
  const resetAt = new Date(now + waitMs)
  return new RateLimitError(
    'The rate limit is used up, and this call may not wait long enough for the next window. Nothing was sent.',
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

/**
 * Returns the `code` of an error response of this service. A proxy does not repeat the request ID of the header in the
 * body, but may remove the header.
 */
export function serviceErrorCode({ headers, text }: ApiResponse): string | undefined {
  const { code, requestId } = parseObject(text)
  const isOwn = typeof requestId === 'string' && requestId === (headers.get(HEADERS.requestId) ?? requestId)
  return isOwn ? readText(code) : undefined
}

/** Reads an error body leniently: a proxy may send any body, and a newer server may send new codes. */
function readErrorBody(text: string) {
  const { error, details } = parseObject(text)
  const issues = Array.isArray(details) ? details.filter(isIssue).slice(0, MAX_DETAILS) : undefined
  return {
    error: readText(error),
    details: issues?.map(({ path, message }) => ({ path: shorten(path), message: shorten(message) })),
  }
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? shorten(value) : undefined
}

function shorten(text: string): string {
  return text.slice(0, MAX_MESSAGE_LENGTH)
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

function publicHeaders(headers: Headers, redact: Redactor): Record<string, string> {
  return Object.fromEntries(
    PUBLIC_HEADERS.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, redact(value)]]
    }),
  )
}
