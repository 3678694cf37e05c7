import { type Access, HEADERS, REQUEST_ID_PATTERN, ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import { canonicalPath } from './path.ts'

/** One request on its way through the service, with what has been found out about it so far. */
export interface RequestContext {
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
  readonly access: Access
  /** Parameters of the path, percent-decoded. */
  params: Readonly<Record<string, string>>
  /** The matched route. */
  route?: RouteName
  /** The path that was matched, with its parameters by name, such as `/admin/users/:name`. */
  pattern?: string
  /** The user whose personal API key came with the request. */
  apiKeyUser?: { readonly id: string; readonly name: string }
  /** Headers that belong on the answer, whatever it will be. Names are in lower case. */
  readonly responseHeaders: Record<string, string>
}

/** What an context needs to know beyond its request. */
interface RequestContextOptions {
  readonly now: number
  readonly address: string
  readonly client: string
  readonly accessOf: (path: string) => Access
  readonly createId: () => string
}

/** Opens the context of a request. */
export function createRequestContext(request: Request, source: RequestContextOptions): RequestContext {
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
    access: source.accessOf(path),
    params: {},
    responseHeaders: { [HEADERS.requestId]: requestId },
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

const ALL = Object.values(ROUTES)
const BY_PATH: ReadonlyMap<string, Access> = new Map(ALL.map(({ path, access }) => [path, access]))

/** The paths that have parameters, each standing for one segment. */
const PATTERNS = ALL.filter(({ path }) => path.includes(':')).map(({ access, path }) => ({
  access,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
}))
const DOCS_PREFIX = `${ROUTES.docs.path}/`

/** Whom a canonical path is for. What nobody serves counts as public, so that guessing paths is limited too. */
export function accessOf(path: string): Access {
  const known = BY_PATH.get(path)
  if (known) return known
  if (path.startsWith(DOCS_PREFIX)) return 'operations'
  return PATTERNS.find(({ pattern }) => pattern.test(path))?.access ?? 'public'
}
