import { HEADERS, ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import { canonicalPath } from '@fish-crab/server/app'

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

/** What of a request says what it is about. */
export type RequestHead = Pick<Request, 'method' | 'url' | 'headers'>

/**
 * Reads what a request is about.
 * @param ownerOf the user that a personal API key belongs to
 */
export function requestTarget(
  { method, url, headers }: RequestHead,
  ownerOf: (apiKey: string) => string | undefined,
): RequestTarget {
  const path = canonicalPath(url)
  const query = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])
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

function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
