import { ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import type { RequestObservation } from '../metrics.ts'
import type { Exchange } from './exchange.ts'

/** The methods that the service knows. */
export const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'] as const

const BY_METHOD_AND_PATH: ReadonlyMap<string, RouteName> = new Map(
  (Object.keys(ROUTES) as RouteName[]).map((name) => [`${ROUTES[name].method} ${ROUTES[name].path}`, name]),
)

/** The route of a request for logs and metrics, also when it was refused before it was routed. */
export function routeLabel({ route, request: { method }, path }: Exchange): RequestObservation['route'] {
  return route ?? BY_METHOD_AND_PATH.get(`${method === 'HEAD' ? 'GET' : method} ${path}`) ?? 'unmatched'
}

/** The method of a request, or `other`: clients can make up as many as they like. */
export function methodLabel({ method }: Request): RequestObservation['method'] {
  return METHODS.find((known) => known === method) ?? 'other'
}
