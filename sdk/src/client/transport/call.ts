import { InvalidResponseError } from '../../errors/connection-errors.ts'
import type { Issue, RateLimitState } from '../../errors/fish-crab-error.ts'
import type { ResponseShape } from '../shapes/shape.ts'
import type { ApiRequest } from './request.ts'
import type { ApiResponse } from './response.ts'
import type { Transport } from './transport.ts'

/** What every response has besides its content. */
export interface ResponseMeta {
  /** The rate-limit window of this client; absent when the request was not counted, as with an API key. */
  readonly rateLimit?: RateLimitState
  /** Identifies this request in the server's log. */
  readonly requestId?: string
}

/** The HTTP side of a response. Its body is the content. */
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

/** What a call returns: a promise of the content, with access to the response. */
export interface ApiPromise<Content> extends Promise<Content> {
  /**
   * The content with the status and headers of its response. Sends no further request.
   *
   * @example
   * const { data, response } = await client.fish.list().withResponse()
   * response.headers.get('etag')
   */
  withResponse(): Promise<WithResponse<Content>>
}

/**
 * Sends a request and checks the response.
 *
 * @param prepare Checks the caller's arguments and builds the request; the call rejects with what it throws.
 * @param finish Makes the result from the checked content. @default the content
 * @param describe Adds to an error. @default the error
 */
export function call<Content extends object, Result extends object = Content>(
  transport: Transport,
  prepare: () => ApiRequest,
  shape: ResponseShape<Content>,
  finish: (content: Content, headers: Headers) => Result = (content) => content as unknown as Result,
  describe: (error: unknown) => unknown = (error) => error,
): ApiPromise<Result & ResponseMeta> {
  const send = async () => {
    const response = await transport(prepare())
    const { status, headers, rateLimit, requestId } = response
    const content = finish(checkedContent(response, shape), headers)
    return {
      data: { ...content, ...(rateLimit && { rateLimit }), ...(requestId !== undefined && { requestId }) },
      response: { status, headers },
    }
  }
  return apiPromise(
    send().catch((error: unknown) => {
      throw describe(error)
    }),
  )
}

export function apiPromise<Content>(work: Promise<WithResponse<Content>>): ApiPromise<Content> {
  const content = work.then(({ data }) => data)
  return Object.assign(content, {
    withResponse: () => {
      // The caller handles a failure there, so it is not unhandled here.
      content.catch(() => {})
      return work
    },
  })
}

function checkedContent<Content>(response: ApiResponse, shape: ResponseShape<Content>): Content {
  const issues: Issue[] = []
  const content = shape(parseJson(response), issues)
  if (issues.length === 0) return content
  const where = issues.slice(0, 3).map(({ path }) => path || 'the whole body')
  throw invalid(response, `The response does not match the API (${where.join(', ')}).`, issues)
}

function parseJson(response: ApiResponse): unknown {
  try {
    return JSON.parse(response.text)
  } catch {
    // The parser's own error quotes the text, which may hold a key.
    throw invalid(response, 'The response is not JSON.')
  }
}

function invalid({ status, requestId, rateLimit }: ApiResponse, summary: string, issues?: readonly Issue[]) {
  return new InvalidResponseError(summary, {
    status,
    requestId,
    rateLimit,
    issues,
    hint: 'Check that baseUrl is right.',
  })
}
