import { HEADERS } from '../../contract/headers.ts'
import { InvalidResponseError } from '../../errors/connection-errors.ts'
import type { RateLimitState } from '../../errors/fish-crab-error.ts'
import type { ResponseSchema } from '../shapes/shape.ts'
import type { ApiRequest, RawResponse } from './request.ts'
import { readRateLimit } from './response.ts'
import type { Transport } from './transport.ts'

/** What every answer tells besides its content. */
export interface ResponseMeta {
  /** Where this client stands in its window; absent when the request was not counted, as with an API key. */
  readonly rateLimit?: RateLimitState
  /** Names this request in the server's log. */
  readonly requestId?: string
}

/**
 * Sends a request and checks the answer.
 *
 * @param prepare Checks what the caller gave and makes the request of it; what it throws, the call rejects with.
 * @param finish Makes the content from the checked answer. @default the answer as it is
 */
export function call<Content extends object, Result extends object = Content>(
  transport: Transport,
  prepare: () => ApiRequest,
  schema: ResponseSchema<Content>,
  finish: (content: Content, headers: Headers) => Result = (content) => content as unknown as Result,
): ApiPromise<Result & ResponseMeta> {
  return apiPromise(send(transport, prepare, schema, finish))
}

async function send<Content extends object, Result extends object>(
  transport: Transport,
  prepare: () => ApiRequest,
  schema: ResponseSchema<Content>,
  finish: (content: Content, headers: Headers) => Result,
): Promise<WithResponse<Result & ResponseMeta>> {
  const answer = await transport(prepare())
  const { status, headers } = answer
  const rateLimit = readRateLimit(headers)
  const requestId = requestIdOf(answer)
  const content = finish(checked(answer, schema), headers)
  return {
    data: { ...content, ...(rateLimit && { rateLimit }), ...(requestId === undefined ? {} : { requestId }) },
    response: { status, headers },
  }
}

function checked<Content>(answer: RawResponse, schema: ResponseSchema<Content>): Content {
  const result = schema.safeParse(parseJson(answer))
  if (result.success) return result.data
  const issues = result.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }))
  const where = issues.slice(0, 3).map(({ path }) => path || 'the whole')
  throw invalid(answer, `The answer is not what the service promises (${where.join(', ')}).`, issues)
}

function parseJson(answer: RawResponse): unknown {
  try {
    return JSON.parse(answer.text)
  } catch {
    // The parser's own error quotes the text, and that may hold a key.
    throw invalid(answer, 'The answer is not JSON.')
  }
}

function invalid(answer: RawResponse, summary: string, issues: InvalidResponseError['issues'] = []) {
  const { status, headers } = answer
  const [requestId, rateLimit] = [requestIdOf(answer), readRateLimit(headers)]
  return new InvalidResponseError(summary, { status, requestId, rateLimit, issues, hint: 'Is baseUrl right?' })
}

function requestIdOf({ headers }: RawResponse): string | undefined {
  return headers.get(HEADERS.requestId) ?? undefined
}

/** The HTTP side of an answer. Its body was read already: it is the content. */
interface ResponseInfo {
  /** HTTP status. */
  readonly status: number
  readonly headers: Headers
}

/** A content together with the response that it came in. */
export interface WithResponse<Content> {
  readonly data: Content
  readonly response: ResponseInfo
}

/** What a call gives: a promise of the content, which can also be asked for the response. */
export interface ApiPromise<Content> extends Promise<Content> {
  /**
   * The content with the status and headers it came with. Sends nothing again.
   *
   * @example
   * const { data, response } = await client.fish.list().withResponse()
   * response.headers.get('etag')
   */
  withResponse(): Promise<WithResponse<Content>>
}

/** Makes a call's promise from its work, which has begun. */
export function apiPromise<Content>(work: Promise<WithResponse<Content>>): ApiPromise<Content> {
  const content = work.then(({ data }) => data)
  return Object.assign(content, {
    withResponse: () => {
      // Who asks for the response is told of a failure there, so it is not unhandled here.
      content.catch(() => {})
      return work
    },
  })
}
