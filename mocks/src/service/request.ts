import { HEADERS, ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import { canonicalPath } from '@fish-crab/server/app'

export interface RequestTarget {
  readonly method: string
  readonly path: string
  readonly route: RouteName | 'unmatched'
  readonly query: URLSearchParams
  /** The user that the request names, or the owner of the request's API key. */
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

export function requestTarget(
  { method, url, headers }: Pick<Request, 'method' | 'url' | 'headers'>,
  ownerOf: (apiKey: string) => string | undefined,
): RequestTarget {
  const path = canonicalPath(url)
  const query = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])
  const routeMethod = method === 'HEAD' ? 'GET' : method
  const exact = BY_METHOD_AND_PATH.get(`${routeMethod} ${path}`)
  const [matched] = exact ? [] : PATTERNS.filter((one) => one.method === routeMethod && one.pattern.test(path))
  const apiKey = headers.get(HEADERS.apiKey)
  const nameInPath = matched?.pattern.exec(path)?.groups?.name
  return {
    method,
    path,
    route: exact ?? matched?.name ?? 'unmatched',
    query,
    user: nameInPath === undefined ? query.get('name') || (apiKey ? ownerOf(apiKey) : undefined) : decode(nameInPath),
    isPreflight: method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method'),
  }
}

/** Whether a route has this method and path; every path of a route has OPTIONS. */
export function isServed(method: string, path: string): boolean {
  const methods = method === 'OPTIONS' ? new Set(Object.values(ROUTES).map((route) => route.method)) : [method]
  const headers = new Headers()
  return [...methods].some(
    (one) => requestTarget({ method: one, url: path, headers }, () => undefined).route !== 'unmatched',
  )
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** srvx adds the address of the socket to its requests. */
type RequestWithAddress = Request & { readonly ip?: string | undefined }

const LOOPBACK = '127.0.0.1'

/** Returns the address of the socket, or `127.0.0.1` for a request without a socket. */
export function socketAddress(request: RequestWithAddress): string {
  return request.ip ?? LOOPBACK
}

export function setAddress(request: Request, address: string): Request {
  return Object.defineProperty(request, 'ip', { value: address })
}

export function copyAddress(request: Request, from: RequestWithAddress): Request {
  return from.ip === undefined ? request : setAddress(request, from.ip)
}

/** Sets the headers on the request itself, including headers that browsers forbid pages to set. */
export function setHeaders(request: Request, headers: Headers): Request {
  return Object.defineProperty(request, 'headers', { value: headers })
}
