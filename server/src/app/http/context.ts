import {
  type Access,
  ASSET_FOLDERS,
  HEADERS,
  PAGE_ROUTES,
  REQUEST_ID_PATTERN,
  ROUTES,
  type RouteName,
} from '@fish-crab/sdk/contract'
import { clientKey } from './client-address.ts'
import { canonicalPath, targetError } from './path.ts'

export interface RequestContext {
  readonly request: Request
  readonly query: URLSearchParams
  readonly path: string
  /** Why the request target is refused; see {@link targetError}. */
  readonly targetError: string | undefined
  readonly requestId: string
  /** Unix time in milliseconds. */
  readonly receivedAt: number
  /** Address of the client; empty if the host does not provide it. */
  readonly address: string
  /** Key of the client in the rate limit. */
  readonly client: string
  readonly access: Access
  /** Percent-decoded. */
  params: Readonly<Record<string, string>>
  route?: RouteName
  /** Such as `/admin/users/:name`. */
  pattern?: string
  /** User whose API key came with the request. */
  apiKeyUser?: { readonly id: string; readonly name: string }
  /** The player and the gamemode of the request, once they are known to exist; for the log line of a refused request. */
  player?: string | undefined
  gamemode?: string | undefined
  /** Headers to add to whatever the response will be. Names are in lower case. */
  readonly responseHeaders: Record<string, string>
}

interface RequestContextOptions {
  readonly now: number
  readonly address: string
  readonly target: unknown
  readonly createId: () => string
  /** Whether the pages for people are served; otherwise their paths are unknown ones. */
  readonly hasPages: boolean
}

export function createRequestContext(
  request: Request,
  { now, address, target, createId, hasPages }: RequestContextOptions,
): RequestContext {
  const path = canonicalPath(request.url)
  const queryText = queryOf(request.url)
  const isQuery = isBounded(queryText)
  const requestId = requestIdOf(request.headers.get(HEADERS.requestId), createId)
  return {
    request,
    query: queryText !== '' && isQuery ? new URLSearchParams(queryText) : NO_QUERY,
    path,
    targetError: (typeof target === 'string' ? targetError(target) : undefined) ?? (isQuery ? undefined : TOO_MANY),
    requestId,
    receivedAt: now,
    address,
    client: clientKey(address),
    access: hasPages || !isOfPages(path) ? accessOf(path) : 'public',
    params: {},
    responseHeaders: { [HEADERS.requestId]: requestId },
  }
}

/** The id of a request: the one that its client sent, if valid. */
export function requestIdOf(sent: unknown, createId: () => string = () => crypto.randomUUID()): string {
  return typeof sent === 'string' && REQUEST_ID_PATTERN.test(sent) ? sent : createId()
}

const NO_QUERY = new URLSearchParams()

function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1).replace(/#.*$/s, '')
}

const MAX_PARAMETERS = 100
const TOO_MANY = `The query has more than ${MAX_PARAMETERS} parameters.`

/** Decoding a malformed parameter takes microseconds, and a head has room for thousands. */
function isBounded(query: string): boolean {
  return query.split('&', MAX_PARAMETERS + 1).length <= MAX_PARAMETERS
}

const ALL_ROUTES = Object.values(ROUTES)
const FOLDERS = Object.values(ASSET_FOLDERS).map((folder) => `${folder}/`)
const PAGE_PATHS = Object.values(PAGE_ROUTES).map(({ path }) => path)
const PAGE_PREFIXES = [
  `${ASSET_FOLDERS.pages}/`,
  ...PAGE_PATHS.filter((path) => path.includes(':')).map((path) => path.replace(/:.*/, '')),
]
const ACCESS_BY_PATH: ReadonlyMap<string, Access> = new Map(ALL_ROUTES.map(({ path, access }) => [path, access]))

/** Paths with parameters, each of which stands for one segment. */
const PATTERNS = ALL_ROUTES.filter(({ path }) => path.includes(':')).map(({ access, path }) => ({
  access,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
}))

/** Unknown paths are public, so that guessing paths is rate limited, too. */
function accessOf(path: string): Access {
  const access = ACCESS_BY_PATH.get(path)
  if (access) return access
  if (FOLDERS.some((folder) => path.startsWith(folder))) return 'operations'
  return PATTERNS.find(({ pattern }) => pattern.test(path))?.access ?? 'public'
}

function isOfPages(path: string): boolean {
  return PAGE_PATHS.some((page) => page === path) || PAGE_PREFIXES.some((prefix) => path.startsWith(prefix))
}
