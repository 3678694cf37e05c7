import {
  ERROR_CODES,
  type ErrorCode,
  errorBodySchema,
  HEADERS,
  MEDIA_TYPES,
  OPERATIONS,
  REQUEST_ID_PATTERN,
  ROUTES,
  type RouteName,
} from '@fish-crab/sdk/contract'

/** A response with its complete body. */
export interface ReceivedResponse {
  /** Method and path of the request, for messages. */
  readonly to: string
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly text: string
  readonly requestId: string | undefined
}

/** The service does not match the contract. The expected and the actual value are descriptions without secrets. */
export class ConformanceFailure extends Error {
  override readonly name: string = 'ConformanceFailure'
  readonly expected: string
  readonly actual: string
  /** The id of the request in the log of the implementation. */
  readonly requestId: string | undefined
  /** The probable cause. The text is identical in all failures with this cause. */
  readonly probableCause: string

  constructor(expected: string, actual: string, requestId?: string, probableCause = `not as expected: ${expected}`) {
    super(`Expected ${expected}, but got ${actual}.`)
    this.expected = expected
    this.actual = actual
    this.requestId = requestId
    this.probableCause = probableCause
  }
}

/** The probable cause given for every request that gets no response. */
export const NO_RESPONSE = 'the service does not respond'

/** A request got no response: the connection failed or timed out. */
export class NoResponse extends ConformanceFailure {
  override readonly name = 'NoResponse'

  constructor(expected: string, actual: string) {
    super(expected, actual, undefined, NO_RESPONSE)
  }
}

export class CheckSkipped extends Error {
  override readonly name = 'CheckSkipped'
}

const MAX_VALUE_LENGTH = 300

function formatValue(value: unknown): string {
  const text = value === undefined ? 'nothing' : typeof value === 'string' ? `"${value}"` : JSON.stringify(value)
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text
}

/**
 * Fails the check unless `holds` is true.
 * @param expected the requirement of the contract, as the end of a sentence that begins with "Expected"
 * @param actual the actual behaviour of the service
 */
export function that(holds: boolean, expected: string, actual: unknown, response?: ReceivedResponse): asserts holds {
  if (holds) return
  const what = typeof actual === 'string' ? actual : formatValue(actual)
  if (!response) throw new ConformanceFailure(expected, what)
  const unexpected = /^(\d{3})( |$)/.test(what) ? causeOf(response, what) : undefined
  throw new ConformanceFailure(
    `${expected} on ${response.to}`,
    what,
    response.requestId,
    unexpected ?? `not as expected: ${expected}`,
  )
}

/**
 * Unexpected statuses have a separate cause for each route, except that all routes share one cause for an unexpected
 * 429.
 */
function causeOf({ to, status }: ReceivedResponse, actual: string): string {
  if (status === 429) return `requests are refused: ${actual}`
  const [method = '', target = ''] = to.split(' ', 2)
  const path = target.replace(/[?#].*/s, '')
  const route = Object.values(ROUTES).find(
    (one) => one.method === method && new RegExp(`^(/v1)?${one.path.replace(/:\w+/g, '[^/]+')}$`).test(path),
  )
  return `${method} ${route?.path ?? path} responds ${actual}`
}

/** Fails the check unless both values are equal as JSON, regardless of the order of keys. */
export function same(actual: unknown, expected: unknown, what: string, response?: ReceivedResponse): void {
  that(
    canonicalJson(actual) === canonicalJson(expected),
    `${what} to be ${formatValue(expected)}`,
    formatValue(actual),
    response,
  )
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
}

/** Fails the check unless the response is the documented success of the route. @returns the body */
export function success(response: ReceivedResponse, route: RouteName): JsonObject {
  const { status, schema } = OPERATIONS[route].success
  const body = json(response, status)
  const [issue] = schema?.safeParse(body).error?.issues ?? []
  that(!issue, 'a body of the documented form', `an invalid value under "${issue?.path.join('.')}"`, response)
  return body
}

export type JsonObject = Readonly<Record<string, unknown>>

/** Describes a response by its status and the `code` of an error body. */
export function describeStatus({ status, text }: ReceivedResponse): string {
  const code = /"code":"([a-z_]+)"/.exec(text)?.[1]
  return `${status}${code ? ` ${code}` : ''}`
}

export function status(response: ReceivedResponse, ...statuses: readonly number[]): void {
  that(statuses.includes(response.status), `status ${statuses.join(' or ')}`, describeStatus(response), response)
}

/** @param value the value of the header, or `null` for a response without the header */
export function header(response: ReceivedResponse, name: string, value: string | null): void {
  const actual = response.headers.get(name)
  that(actual === value, value === null ? `no ${name}` : `${name}: ${value}`, actual ?? `no ${name}`, response)
}

/** Fails the check unless the items of a header include all wanted items, in any letter case. */
export function listed(response: ReceivedResponse, name: string, ...wanted: readonly string[]): void {
  const value = response.headers.get(name) ?? 'none'
  const items = value.split(',').map((item) => item.trim().toLowerCase())
  for (const one of wanted) that(items.includes(one.toLowerCase()), `${name} with ${one}`, value, response)
}

/** @returns the value of a header that is an integer */
export function integer(response: ReceivedResponse, name: string): number {
  const text = response.headers.get(name)
  that(text !== null && /^\d+$/.test(text), `an integer in ${name}`, text ?? 'no such header', response)
  return Number(text)
}

export function retryAfter(response: ReceivedResponse, most: number): void {
  const seconds = integer(response, HEADERS.retryAfter)
  that(seconds >= 1 && seconds <= most, `${HEADERS.retryAfter} of 1 to ${most} s`, seconds, response)
}

/** @param types the accepted media types */
export function type(response: ReceivedResponse, ...types: readonly string[]): void {
  const [actual = ''] = (response.headers.get('content-type') ?? 'none').split(';', 1)
  that(types.includes(actual), `content type ${types.join(' or ')}`, actual, response)
}

export function noBody(response: ReceivedResponse): void {
  that(response.bytes.length === 0, 'no body', `${response.bytes.length} bytes`, response)
}

/** @returns the body, which must be a JSON object */
export function json(response: ReceivedResponse, expected = 200): JsonObject {
  status(response, expected)
  type(response, MEDIA_TYPES.json)
  const value = parse(response.text)
  that(typeof value === 'object' && value !== null && !Array.isArray(value), 'a JSON object', 'another body', response)
  return value as JsonObject
}

/** @returns the list */
export function list<Item = JsonObject>(response: ReceivedResponse, name: string): readonly Item[] {
  const list = json(response)[name]
  that(Array.isArray(list), `an array under "${name}"`, typeof list, response)
  return list
}

/** @returns the body */
export function error(response: ReceivedResponse, code: ErrorCode): JsonObject {
  const { status } = ERROR_CODES[code]
  that(response.status === status, `${status} ${code}`, describeStatus(response), response)
  const body = errorBody(response)
  same(body.code, code, 'the code', response)
  return body
}

/**
 * Fails the check unless the body has the form of an error: a sentence, a code, the request id and optional details.
 * @returns the body
 */
export function errorBody(response: ReceivedResponse): JsonObject {
  const body = json(response, response.status)
  const { error, code, requestId, details, ...more } = body
  const isSentence = typeof error === 'string' && /\S\s+\S/.test(error)
  that(isSentence, 'a sentence under "error"', describeType(error), response)
  that(typeof code === 'string' && /^[a-z]+(_[a-z]+)*$/.test(code), 'a snake_case "code"', code, response)
  that(
    typeof requestId === 'string' && requestId === response.headers.get(HEADERS.requestId),
    `"requestId" in the body as in the header ${HEADERS.requestId}`,
    requestId,
    response,
  )
  const areValid = errorBodySchema.shape.details.safeParse(details).success
  that(areValid, '"details" as a list of { path, message }', details, response)
  same(Object.keys(more), [], 'further fields of the error body', response)
  that(!/\bat .+:\d+:\d+|node_modules/.test(response.text), 'no stack trace', 'one', response)
  return body
}

export function details(response: ReceivedResponse, code: ErrorCode): void {
  const { details } = error(response, code)
  that(Array.isArray(details) && details.length > 0, '"details" that describe the problem', details, response)
}

export function requestId(response: ReceivedResponse): string {
  const id = response.headers.get(HEADERS.requestId)
  that(id !== null && REQUEST_ID_PATTERN.test(id), `a header ${HEADERS.requestId}`, id ?? 'none', response)
  return id
}

export function text(value: unknown, what: string, response?: ReceivedResponse): string {
  that(typeof value === 'string' && value !== '', `${what} to be a non-empty string`, describeType(value), response)
  return value
}

/** @returns unix milliseconds */
export function dateTime(value: unknown, what: string, response?: ReceivedResponse): number {
  const isDateTime =
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
  that(isDateTime, `${what} to be an ISO 8601 date-time`, value, response)
  return Date.parse(value as string)
}

/** Describes only the type of a value, since the value may be a secret. */
function describeType(value: unknown): string {
  return value === '' ? 'an empty string' : value === undefined ? 'nothing' : `a ${typeof value}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
