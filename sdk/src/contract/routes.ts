import { ADMIN_ROUTES } from './admin-routes.ts'
import { PUBLIC_ROUTES } from './public-routes.ts'
import { filledPath, type Route } from './route.ts'

/** The prefix under which every path is served as well: the unprefixed form is version 1. */
export const VERSION_PREFIX = '/v1'

/** What operators use. */
const OPERATIONS_ROUTES = {
  livez: { method: 'GET', path: '/livez', audience: 'operations' },
  readyz: { method: 'GET', path: '/readyz', audience: 'operations' },
  metrics: { method: 'GET', path: '/metrics', audience: 'operations' },
  openapi: { method: 'GET', path: '/openapi.json', audience: 'operations' },
  docs: { method: 'GET', path: '/docs', audience: 'operations' },
} as const satisfies Record<string, Route>

/** Every route of the service, named by what it does. */
export const ROUTES = { ...PUBLIC_ROUTES, ...ADMIN_ROUTES, ...OPERATIONS_ROUTES } as const

/** The name of a route. */
export type RouteName = keyof typeof ROUTES

/**
 * The path of a route with its parameters filled in, percent-encoded.
 * @example routePath('resetUser', { name: 'Alex' }) // '/admin/users/Alex/reset'
 */
export function routePath(name: RouteName, params?: Readonly<Record<string, string>>): string {
  return filledPath(ROUTES[name].path, params)
}
