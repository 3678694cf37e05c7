import { ERROR_CODES, type ErrorBody, type ErrorCode, HEADERS, REQUEST_ID_PATTERN } from '@fish-crab/sdk/contract'

/** What is wrong with a body, and where. */
export type Details = NonNullable<ErrorBody['details']>

/** Any page may steer a mock: it holds nothing that is real. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': HEADERS.requestId,
} as const

/** Thrown to end a request with an error in the common form. */
export class ControlFailure extends Error {
  override readonly name = 'ControlFailure'
  readonly code: ErrorCode
  readonly details: Details | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ErrorCode,
    { details, headers = {} }: { readonly details?: Details; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(ERROR_CODES[code].message)
    this.code = code
    this.details = details
    this.headers = headers
  }
}

/** The id that an answer names its request by: the client's own, or a new one. */
export function requestIdOf(request: Request): string {
  const own = request.headers.get(HEADERS.requestId) ?? ''
  return REQUEST_ID_PATTERN.test(own) ? own : crypto.randomUUID()
}

/** An answer in JSON that pages of any origin may read. */
export function answer(
  status: number,
  value: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
) {
  return Response.json(value, {
    status,
    headers: { ...CORS, 'cache-control': 'no-store', [HEADERS.requestId]: requestId, ...headers },
  })
}

/** The answer to a failed request. */
export function failed({ code, message, details, headers }: ControlFailure, requestId: string): Response {
  const body: ErrorBody = { error: message, code, requestId, ...(details ? { details } : {}) }
  return answer(ERROR_CODES[code].status, body, requestId, headers)
}

/** The answer to a preflight (Fetch standard, "CORS-preflight request"). */
export function preflight(methods: readonly string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...CORS,
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': `content-type, ${HEADERS.requestId}`,
    },
  })
}
