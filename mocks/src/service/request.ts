import { HEADERS } from '@fish-crab/sdk/contract'
import type { RoutedRequest } from '@fish-crab/server/app'

export interface RequestTarget extends Pick<RoutedRequest, 'route' | 'path' | 'query'> {
  readonly method: string
  /** The user that the request names, or the owner of the request's API key. */
  readonly user: string | undefined
  readonly isPreflight: boolean
}

export function requestTarget(
  { request: { method, headers }, route, path, params, query }: RoutedRequest,
  ownerOf: (apiKey: string) => string | undefined,
): RequestTarget {
  const apiKey = headers.get(HEADERS.apiKey)
  return {
    method,
    route,
    path,
    query,
    user: params.name ?? (query.get('name') || (apiKey ? ownerOf(apiKey) : undefined)),
    isPreflight: method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method'),
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

export function copyRequest(request: Request): Request {
  return setHeaders(copyAddress(request.clone(), request), request.headers)
}

/** Sets the headers on the request itself, including headers that browsers forbid pages to set. */
export function setHeaders(request: Request, headers: Headers): Request {
  return Object.defineProperty(request, 'headers', { value: headers })
}
