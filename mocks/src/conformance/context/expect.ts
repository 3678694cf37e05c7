import { ERROR_CODES, type ErrorCode, HEADERS, MEDIA_TYPES, REQUEST_ID_PATTERN, ROUTES } from '@fish-crab/sdk/contract'
import type { ReceivedResponse } from './response.ts'

/** The service does not match the contract. Both values are descriptions without secrets. */
export class ConformanceFailure extends Error {
  override readonly name: string = 'ConformanceFailure'
  readonly expected: string
  readonly actual: string
  /** The id of the request in the log of the implementation. */
  readonly requestId: string | undefined
  /** The same text for all failures with this cause. */
  readonly probableCause: string

  constructor(expected: string, actual: string, requestId?: string, probableCause = `not as expected: ${expected}`) {
    super(`Expected ${expected}, but got ${actual}.`)
    this.expected = expected
    this.actual = actual
    this.requestId = requestId
    this.probableCause = probableCause
  }
}

/** The probable cause of all requests without a response. */
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
 * Fails unless `holds`.
 * @param expected what the contract requires, as the end of "Expected …"
 * @param actual what the service did instead
 */
function expectThat(holds: boolean, expected: string, actual: unknown, response?: ReceivedResponse): asserts holds {
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

/** An unexpected status has one cause per route; an unexpected 429 has the same cause for all routes. */
function causeOf({ to, status }: ReceivedResponse, actual: string): string {
  if (status === 429) return `requests are refused: ${actual}`
  const [method = '', target = ''] = to.split(' ', 2)
  const path = target.replace(/[?#].*$/s, '')
  const route = Object.values(ROUTES).find(
    (one) => one.method === method && new RegExp(`^(/v1)?${one.path.replace(/:\w+/g, '[^/]+')}$`).test(path),
  )
  return `${method} ${route?.path ?? path} responds ${actual}`
}

/** The same JSON, in any order of keys. */
function expectSame(actual: unknown, expected: unknown, what: string, response?: ReceivedResponse): void {
  expectThat(
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

export type JsonObject = Readonly<Record<string, unknown>>

/** The status, with the `code` of an error body. */
export function describeStatus({ status, text }: ReceivedResponse): string {
  const code = /"code":"([a-z_]+)"/.exec(text)?.[1]
  return `${status}${code ? ` ${code}` : ''}`
}

function expectStatus(response: ReceivedResponse, ...statuses: readonly number[]): void {
  expectThat(statuses.includes(response.status), `status ${statuses.join(' or ')}`, describeStatus(response), response)
}

/** @returns the body, which must be a JSON object */
function expectJson(response: ReceivedResponse, status = 200): JsonObject {
  expectStatus(response, status)
  const type = response.headers.get('content-type')?.split(';', 1)[0]
  expectThat(type === MEDIA_TYPES.json, `content type ${MEDIA_TYPES.json}`, type ?? 'none', response)
  const value = parse(response.text)
  expectThat(
    typeof value === 'object' && value !== null && !Array.isArray(value),
    'a JSON object',
    'another body',
    response,
  )
  return value as JsonObject
}

/** @returns the list */
function expectList<Item = JsonObject>(response: ReceivedResponse, name: string): readonly Item[] {
  const list = expectJson(response)[name]
  expectThat(Array.isArray(list), `an array under "${name}"`, typeof list, response)
  return list
}

/** @returns the body */
function expectError(response: ReceivedResponse, code: ErrorCode): JsonObject {
  const { status } = ERROR_CODES[code]
  expectThat(response.status === status, `${status} ${code}`, describeStatus(response), response)
  const body = expectErrorBody(response)
  expectSame(body.code, code, 'the code', response)
  return body
}

/** A sentence, a code, the request id. @returns the body */
function expectErrorBody(response: ReceivedResponse): JsonObject {
  const body = expectJson(response, response.status)
  const { error, code, requestId, details, ...more } = body
  const isSentence = typeof error === 'string' && /\S\s+\S/.test(error)
  expectThat(isSentence, 'a sentence under "error"', describeType(error), response)
  expectThat(typeof code === 'string' && /^[a-z]+(_[a-z]+)*$/.test(code), 'a snake_case "code"', code, response)
  expectThat(
    typeof requestId === 'string' && requestId === response.headers.get(HEADERS.requestId),
    `"requestId" in the body as in the header ${HEADERS.requestId}`,
    requestId,
    response,
  )
  expectThat(details === undefined || isDetails(details), '"details" as a list of { path, message }', details, response)
  expectSame(Object.keys(more), [], 'further fields of the error body', response)
  return body
}

function expectBadRequest(response: ReceivedResponse): void {
  expectStatus(response, 400)
  expectErrorBody(response)
}

function expectDetails(response: ReceivedResponse, code: ErrorCode): void {
  const { details } = expectError(response, code)
  expectThat(Array.isArray(details) && details.length > 0, '"details" that describe the problem', details, response)
}

function expectRequestId(response: ReceivedResponse): string {
  const id = response.headers.get(HEADERS.requestId)
  expectThat(id !== null && REQUEST_ID_PATTERN.test(id), `a header ${HEADERS.requestId}`, id ?? 'none', response)
  return id
}

function expectText(value: unknown, what: string, response?: ReceivedResponse): string {
  expectThat(
    typeof value === 'string' && value !== '',
    `${what} to be a non-empty string`,
    describeType(value),
    response,
  )
  return value
}

/** @returns unix milliseconds */
function expectDateTime(value: unknown, what: string, response?: ReceivedResponse): number {
  const isDateTime =
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
  expectThat(isDateTime, `${what} to be an ISO 8601 date-time`, value, response)
  return Date.parse(value as string)
}

function isDetails(details: unknown): boolean {
  return (
    Array.isArray(details) &&
    details.every((detail) => typeof detail?.path === 'string' && typeof detail?.message === 'string')
  )
}

/** The type alone, since the value may be a secret. */
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

export {
  expectBadRequest as badRequest,
  expectDateTime as dateTime,
  expectDetails as details,
  expectError as error,
  expectErrorBody as errorBody,
  expectJson as json,
  expectList as list,
  expectRequestId as requestId,
  expectSame as same,
  expectStatus as status,
  expectText as text,
  expectThat as that,
}
