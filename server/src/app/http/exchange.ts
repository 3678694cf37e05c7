import { type Audience, HEADERS, REQUEST_ID_PATTERN, type RouteName } from '@fish-crab/sdk/contract'
import { canonicalPath } from './path.ts'

/** One request on its way through the service, with what has been found out about it so far. */
export interface Exchange {
  readonly request: Request
  readonly query: URLSearchParams
  /** The path in its one spelling; see `canonicalPath`. */
  readonly path: string
  readonly requestId: string
  /** Unix milliseconds. */
  readonly receivedAt: number
  /** Address of the client, as the host of the app sees it. */
  readonly address: string
  /** What the rate limit counts this client under. */
  readonly client: string
  readonly audience: Audience
  /** Parameters of the path, percent-decoded. */
  params: Readonly<Record<string, string>>
  /** The matched route. */
  route?: RouteName
  /** The path that was matched, with its parameters by name, such as `/admin/users/:name`. */
  pattern?: string
  /** The user whose personal API key came with the request. */
  apiKeyUser?: { readonly id: string; readonly name: string }
  /** Headers that belong on the answer, whatever it will be. Names are in lower case. */
  readonly answerHeaders: Record<string, string>
}

/** What an exchange needs to know beyond its request. */
export interface ExchangeSource {
  readonly now: number
  readonly address: string
  readonly client: string
  readonly audienceOf: (path: string) => Audience
  readonly createId: () => string
}

/** Opens the exchange of a request. */
export function openExchange(request: Request, source: ExchangeSource): Exchange {
  const path = canonicalPath(request.url)
  const requestId = requestIdOf(request.headers.get(HEADERS.requestId), source.createId)
  return {
    request,
    query: queryOf(request.url),
    path,
    requestId,
    receivedAt: source.now,
    address: source.address,
    client: source.client,
    audience: source.audienceOf(path),
    params: {},
    answerHeaders: { [HEADERS.requestId]: requestId },
  }
}

/** The id of a request: its client's own, if it sent a valid one. */
export function requestIdOf(own: unknown, createId: () => string = () => crypto.randomUUID()): string {
  return typeof own === 'string' && REQUEST_ID_PATTERN.test(own) ? own : createId()
}

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1).replace(/#.*$/s, ''))
}
