import { type OptionNames, optionIssues } from '../../errors/check-options.ts'
import { InvalidResponseError } from '../../errors/connection-errors.ts'
import { type Issue, type RateLimitState, throwIssues } from '../../errors/fish-crab-error.ts'
import { type CallOptions, limitIssues } from '../core/options.ts'
import type { ResponseShape } from '../shapes/shape.ts'
import { type ApiRequest, isWrite } from './request.ts'
import type { Transport } from './response.ts'
import { type ApiResponse, isSuccess } from './response.ts'

/** The fields of every response in addition to its content. */
export interface ResponseMeta {
  /** The rate-limit window of this client; absent when the request was not counted, as with an API key. */
  readonly rateLimit?: RateLimitState
  /** Identifies this request in the server's log. */
  readonly requestId?: string
}

/** Status and headers of a response. */
interface ResponseInfo {
  /** HTTP status. */
  readonly status: number
  /** All headers of the response. */
  readonly headers: Headers
}

/** The content of a response, together with the status and headers of that response. */
export interface WithResponse<Content> {
  /** The content, as the call itself returns it. */
  readonly data: Content
  /** Status and headers. */
  readonly response: ResponseInfo
}

/** The return value of every call: a promise of the content, with access to the response. */
export interface ApiPromise<Content> extends Promise<Content> {
  /**
   * Returns the content with the status and headers of its response. Sends no further request.
   *
   * @example
   * const { data, response } = await client.fish.list().withResponse()
   * response.headers.get('etag')
   */
  withResponse(): Promise<WithResponse<Content>>
}

/** A request whose arguments may be invalid. `issues` has an entry for each invalid argument. */
export interface PreparedRequest extends Omit<ApiRequest, 'options'> {
  readonly issues?: readonly (Issue | undefined | false)[]
}

interface Call<Options extends CallOptions, Content extends object, Result> {
  readonly options: Options
  /** The names of all options of this call. */
  readonly known: OptionNames<NoInfer<Options>>
  readonly shape: ResponseShape<Content>
  /** Builds the request. If `prepare` throws an error, the call rejects with this error. */
  readonly prepare: () => PreparedRequest
  /** Converts the checked content to the result of the call. @default the content */
  readonly finish?: (content: Content, headers: Headers) => Result
  /** Adds details to an error. @default the error */
  readonly describe?: (error: unknown) => unknown
}

/** Checks the options and arguments of a call, sends its request, and checks the response. */
export function call<Options extends CallOptions, Content extends object, Result extends object = Content>(
  transport: Transport,
  { options, known, shape, prepare, finish, describe = (error) => error }: Call<Options, Content, Result>,
): ApiPromise<Result & ResponseMeta> {
  const send = async () => {
    try {
      throwIssues([...optionIssues<Options>(options, known), ...limitIssues(options)])
      const { issues = [], ...request } = prepare()
      throwIssues(issues.filter((issue) => typeof issue === 'object'))
      const response = await transport({ ...request, options })
      const { status, headers, rateLimit, requestId } = response
      const content = checkedContent(response, shape, isWrite(request))
      const result = (finish?.(content, headers) ?? content) as Result
      return {
        data: { ...result, ...(rateLimit && { rateLimit }), ...(requestId !== undefined && { requestId }) },
        response: { status, headers },
      }
    } catch (error) {
      throw describe(error)
    }
  }
  return apiPromise(send())
}

export function apiPromise<Content>(work: Promise<WithResponse<Content>>): ApiPromise<Content> {
  const content = work.then(({ data }) => data)
  return Object.assign(content, {
    withResponse: () => {
      // The caller handles the rejection of `work`, so the same rejection of `content` must not count as unhandled.
      content.catch(() => {})
      return work
    },
  })
}

function checkedContent<Content>(
  response: ApiResponse,
  shape: ResponseShape<Content>,
  mayHaveChanged: boolean,
): Content {
  const issues: Issue[] = []
  const content = shape(hasContent(response) ? parseJson(response, mayHaveChanged) : null, issues)
  if (issues.length === 0) return content
  const where = issues.slice(0, 3).map(({ path }) => path || 'the whole body')
  throw invalid(response, `The response does not match the API (${where.join(', ')}).`, { mayHaveChanged, issues })
}

/** `false` for a 404 that counts as success: an earlier attempt of the deletion removed the record. */
function hasContent(response: ApiResponse): boolean {
  return isSuccess(response) && response.status !== NO_CONTENT
}

const NO_CONTENT = 204

function parseJson(response: ApiResponse, mayHaveChanged: boolean): unknown {
  try {
    return JSON.parse(response.text)
  } catch {
    // The error of `JSON.parse` quotes the text, which may contain a key.
    const [type = 'no content-type'] = /^[\w/+.-]+/.exec(response.headers.get('content-type') ?? '') ?? []
    throw invalid(response, `The response is not JSON (status ${response.status}, ${type}).`, { mayHaveChanged })
  }
}

function invalid(
  { status, requestId, rateLimit }: ApiResponse,
  summary: string,
  fields: { readonly mayHaveChanged: boolean; readonly issues?: readonly Issue[] },
) {
  return new InvalidResponseError(summary, {
    status,
    requestId,
    rateLimit,
    ...fields,
    hint: 'Check that baseUrl is right.',
  })
}
