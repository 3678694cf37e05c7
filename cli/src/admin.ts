import {
  ApiError,
  ConnectionError,
  createClient,
  DEFAULT_BASE_URL,
  InvalidResponseError,
  RateLimitError,
} from '@fish-crab/sdk'
import {
  type CreatedUser,
  createdUserSchema,
  errorBodySchema,
  HEADERS,
  MEDIA_TYPES,
  ROUTES,
  type RouteName,
  routePath,
  sessionSchema,
} from '@fish-crab/sdk/contract'
import type { AdminCredentials } from './administrator.ts'

/** How to reach the administrators' part of a service. */
export interface AdminOptions extends AdminCredentials {
  readonly baseUrl?: string | undefined
  readonly signal: AbortSignal
}

interface AdminRequest {
  readonly route: RouteName
  readonly body: unknown
  readonly token?: string
}

interface Schema<Content> {
  safeParse(value: unknown): { readonly success: true; readonly data: Content } | { readonly success: false }
}

const TIMEOUT_MS = 10_000

/**
 * Logs in and creates a player. Nothing is tried again: a lost answer would hide secrets that are shown this once.
 * @throws ApiError, RateLimitError, ConnectionError, InvalidResponseError, ValidationError
 */
export async function createUser(name: string, options: AdminOptions): Promise<CreatedUser> {
  const { username, password, baseUrl } = options
  // The SDK knows what an address of a service must look like.
  createClient({ baseUrl })
  const { token } = await send(options, { route: 'adminLogin', body: { username, password } }, sessionSchema)
  return send(options, { route: 'createUser', body: { name }, token }, createdUserSchema)
}

async function send<Content>(options: AdminOptions, request: AdminRequest, schema: Schema<Content>): Promise<Content> {
  const { baseUrl = DEFAULT_BASE_URL, signal } = options
  const { route, body, token } = request
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}${routePath(route)}`, {
    method: ROUTES[route].method,
    headers: { 'content-type': MEDIA_TYPES.json, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw new ConnectionError(`No answer from ${baseUrl}.`, { cause: error })
  })
  const text = await response.text().catch((error: unknown) => {
    signal.throwIfAborted()
    throw new ConnectionError(`No whole answer from ${baseUrl}. Whether it was carried out is not known.`, {
      cause: error,
    })
  })
  const content = parsed(text)
  signal.throwIfAborted()
  if (!response.ok) throw refusal(response, content)
  const checked = schema.safeParse(content)
  if (!checked.success)
    throw new InvalidResponseError('The answer is not what the service promises.', { status: response.status })
  return checked.data
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refusal({ status, headers }: Response, content: unknown): ApiError | InvalidResponseError {
  const body = errorBodySchema.safeParse(content)
  if (!body.success)
    return new InvalidResponseError(`The answer, of status ${status}, is not from this service.`, { status })
  const { code, requestId, details, error } = body.data
  const fields = { status, code, requestId, details, headers: {} }
  if (status !== 429) return new ApiError(error, fields)
  // A proxy may say a date instead of seconds (RFC 9110, section 10.2.3): then only that it was too much is known.
  const seconds = Number(headers.get(HEADERS.retryAfter))
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : 0
  return new RateLimitError(error, fields, { retryAfterMs, resetAt: new Date(Date.now() + retryAfterMs) })
}
