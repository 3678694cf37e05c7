import { ERROR_CODES, type ErrorCode, HEADERS, MEDIA_TYPES, REQUEST_ID_PATTERN } from '@fish-crab/sdk/contract'
import type { Answer } from './answer.ts'
import { expectSame, expectThat } from './expectation.ts'

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Error bodies say their `code`; others of a status the contract knows are unexpected all the same. */
function describeAnswer({ status, text }: Answer): string {
  const code = /"code":"([a-z_]+)"/.exec(text)?.[1]
  return `${status}${code ? ` ${code}` : ''}`
}

/** Fails unless the answer has one of these statuses. */
export function expectStatus(answer: Answer, ...statuses: readonly number[]): void {
  expectThat(statuses.includes(answer.status), `status ${statuses.join(' or ')}`, describeAnswer(answer), answer)
}

/** The body as a JSON object, after the status. */
export function expectJson(answer: Answer, status = 200): JsonObject {
  expectStatus(answer, status)
  const type = answer.headers.get('content-type')?.split(';', 1)[0]
  expectThat(type === MEDIA_TYPES.json, `content type ${MEDIA_TYPES.json}`, type ?? 'none', answer)
  const value = parse(answer.text)
  expectThat(typeof value === 'object' && value !== null && !Array.isArray(value), 'a JSON object', 'no such', answer)
  return value as JsonObject
}

/** Fails unless the answer is this error in the one form of all errors. Answers its body. */
export function expectError(answer: Answer, code: ErrorCode): JsonObject {
  const { status } = ERROR_CODES[code]
  expectThat(answer.status === status, `${status} ${code}`, describeAnswer(answer), answer)
  const body = expectErrorForm(answer)
  expectSame(body.code, code, 'the code', answer)
  return body
}

/** Fails unless the body has the form of every error: a sentence, a code, the id of the request. */
export function expectErrorForm(answer: Answer): JsonObject {
  const body = expectJson(answer, answer.status)
  const { error, code, requestId, details, ...more } = body
  const isSentence = typeof error === 'string' && /\S\s+\S/.test(error)
  expectThat(isSentence, 'a sentence a person can act on under "error"', shownType(error), answer)
  expectThat(typeof code === 'string' && /^[a-z]+(_[a-z]+)*$/.test(code), 'a snake_case "code"', code, answer)
  expectThat(
    typeof requestId === 'string' && requestId === answer.headers.get(HEADERS.requestId),
    `"requestId" in the body as in the header ${HEADERS.requestId}`,
    requestId,
    answer,
  )
  expectThat(details === undefined || isDetails(details), '"details" as a list of { path, message }', details, answer)
  expectSame(Object.keys(more), [], 'further fields of the error body', answer)
  return body
}

/** Fails unless the error has `details` that name at least one problem. */
export function expectDetails(answer: Answer, code: ErrorCode): void {
  const { details } = expectError(answer, code)
  expectThat(Array.isArray(details) && details.length > 0, '"details" that say what is wrong', details, answer)
}

/** Fails unless the answer has a request id of the documented shape. */
export function expectRequestId(answer: Answer): string {
  const id = answer.headers.get(HEADERS.requestId)
  expectThat(id !== null && REQUEST_ID_PATTERN.test(id), `a header ${HEADERS.requestId}`, id ?? 'none', answer)
  return id
}

/** Fails unless `value` is a non-empty text. */
export function expectText(value: unknown, what: string, answer?: Answer): string {
  expectThat(typeof value === 'string' && value !== '', `${what} to be a text`, shownType(value), answer)
  return value
}

/** Fails unless `value` is a moment in ISO 8601. Answers unix milliseconds. */
export function expectMoment(value: unknown, what: string, answer?: Answer): number {
  const isMoment = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
  expectThat(isMoment, `${what} to be an ISO 8601 date-time`, value, answer)
  return Date.parse(value as string)
}

function isDetails(details: unknown): boolean {
  return (
    Array.isArray(details) &&
    details.every((detail) => typeof detail?.path === 'string' && typeof detail?.message === 'string')
  )
}

/** Only what kind of value: it may be a secret. */
function shownType(value: unknown): string {
  return value === '' ? 'an empty text' : value === undefined ? 'nothing' : `a ${typeof value}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
