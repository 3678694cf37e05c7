import { HEADERS, ROUTES, type RouteName, VERSION_PREFIX } from '@fish-crab/sdk/contract'

/** What a request is about, as the service will see it. */
export interface RequestTarget {
  readonly method: string
  /** The path in its one spelling. */
  readonly path: string
  /** `unmatched`: nobody serves that. */
  readonly route: RouteName | 'unmatched'
  readonly query: URLSearchParams
  /** The user that is named, or whose API key was sent. */
  readonly user: string | undefined
  readonly isPreflight: boolean
}

const BY_METHOD_AND_PATH: ReadonlyMap<string, RouteName> = new Map(
  (Object.keys(ROUTES) as RouteName[]).map((name) => [`${ROUTES[name].method} ${ROUTES[name].path}`, name]),
)

const PATTERNS = (Object.keys(ROUTES) as RouteName[])
  .filter((name) => ROUTES[name].path.includes(':'))
  .map((name) => ({
    name,
    method: ROUTES[name].method,
    pattern: new RegExp(`^${ROUTES[name].path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
  }))

/**
 * Reads what a request is about.
 * @param ownerOf the user that a personal API key belongs to
 */
export function requestTarget(request: Request, ownerOf: (apiKey: string) => string | undefined): RequestTarget {
  const { method, headers } = request
  const { path, query } = parts(request.url)
  const routed = method === 'HEAD' ? 'GET' : method
  const plain = BY_METHOD_AND_PATH.get(`${routed} ${path}`)
  const [found] = plain ? [] : PATTERNS.filter((one) => one.method === routed && one.pattern.test(path))
  const apiKey = headers.get(HEADERS.apiKey)
  const inPath = found?.pattern.exec(path)?.groups?.name
  return {
    method,
    path,
    route: plain ?? found?.name ?? 'unmatched',
    query,
    user: inPath === undefined ? query.get('name') || (apiKey ? ownerOf(apiKey) : undefined) : decodedOrSame(inPath),
    isPreflight: method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method'),
  }
}

/** Path and query, also of addresses that no URL parser takes: the service answers those too. */
function parts(url: string): { path: string; query: URLSearchParams } {
  const [address = '', search = ''] = url.replace(/#.*$/s, '').split(/\?(.*)/s)
  const start = address.indexOf('/', address.indexOf('://') + 3)
  return { path: canonicalPath(start === -1 ? '/' : address.slice(start)), query: new URLSearchParams(search) }
}

/** The spelling of a path that the service routes by: `/v1`, `//`, dots and percent-encoding make no difference. */
function canonicalPath(pathname: string): string {
  const plain = /%|\/\/|\/\.|\/$/.test(pathname) ? respelled(pathname) : pathname
  if (plain === VERSION_PREFIX) return '/'
  return plain.startsWith(`${VERSION_PREFIX}/`) ? plain.slice(VERSION_PREFIX.length) : plain
}

function respelled(pathname: string): string {
  const kept: string[] = []
  for (const segment of pathname.split('/').map(canonicalSegment)) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return `/${kept.join('/')}`
}

function canonicalSegment(segment: string): string {
  const plain = decodedOrSame(segment)
  return plain === segment ? segment : encodeURIComponent(plain)
}

function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
