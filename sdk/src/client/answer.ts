import { HEADERS } from '../contract/headers.ts'
import type { RawAnswer } from './attempt.ts'
import { InvalidResponseError } from './errors.ts'
import { type RateLimitState, readRateLimit } from './rate-limit.ts'
import type { ApiRequest, Transport } from './transport.ts'

/** What every answer tells besides its content. */
export interface AnswerInfo {
  /** Where this client stands in its window; absent when the request was not counted, as with an API key. */
  readonly rateLimit?: RateLimitState
  /** Names this request in the server's log. */
  readonly requestId?: string
}

/** The content of an answer, together with its {@link AnswerInfo}. */
export type Answer<Content> = Content & AnswerInfo

/** The part of a zod schema that is needed here, so that zod itself is not. */
export interface ResponseSchema<Content> {
  safeParse(value: unknown):
    | { readonly success: true; readonly data: Content }
    | {
        readonly success: false
        readonly error: {
          readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]
        }
      }
}

/** Sends a request and checks the answer against its schema, which is loaded while the request is under way. */
export async function request<Content>(
  transport: Transport,
  apiRequest: ApiRequest,
  loadSchema: () => Promise<ResponseSchema<Content>>,
): Promise<{ readonly content: Content; readonly info: AnswerInfo; readonly headers: Headers }> {
  const [answer, schema] = await Promise.all([transport(apiRequest), loadSchema()])
  const rateLimit = readRateLimit(answer.headers)
  const requestId = requestIdOf(answer)
  const info = { ...(rateLimit && { rateLimit }), ...(requestId === undefined ? {} : { requestId }) }
  return { content: checked(answer, schema), info, headers: answer.headers }
}

function checked<Content>(answer: RawAnswer, schema: ResponseSchema<Content>): Content {
  const result = schema.safeParse(parseJson(answer))
  if (result.success) return result.data
  const issues = result.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }))
  const where = issues.slice(0, 3).map(({ path }) => path || 'the whole')
  const message = `The answer is not what the service promises (${where.join(', ')}). Is baseUrl right?`
  throw new InvalidResponseError(message, answer.status, requestIdOf(answer), issues)
}

function parseJson(answer: RawAnswer): unknown {
  try {
    return JSON.parse(answer.text)
  } catch {
    // The parser's own error quotes the text, and that may hold a key.
    throw new InvalidResponseError('The answer is not JSON. Is baseUrl right?', answer.status, requestIdOf(answer))
  }
}

function requestIdOf({ headers }: RawAnswer): string | undefined {
  return headers.get(HEADERS.requestId) ?? undefined
}
