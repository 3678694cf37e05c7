/** The prefix under which every path is served as well: the unprefixed form is version 1. */
export const VERSION_PREFIX = '/v1'

/**
 * Whom a route is for, which decides what counts its requests:
 * `public`, one limit per client; `admin`, one per administrator; `operations`, none.
 */
export type Audience = 'public' | 'admin' | 'operations'

/** One route: its method, its path (`:name` is a parameter) and its audience. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly audience: Audience
}

/** Every route of the service, named by what it does. */
export const ROUTES = {
  status: { method: 'GET', path: '/status', audience: 'public' },
  demoFish: { method: 'GET', path: '/demo/fish', audience: 'public' },
  demoCrab: { method: 'GET', path: '/demo/crab', audience: 'public' },
  getFish: { method: 'GET', path: '/get/fish', audience: 'public' },
  getCrab: { method: 'GET', path: '/get/crab', audience: 'public' },
  postFish: { method: 'POST', path: '/post/fish', audience: 'public' },
  postCrab: { method: 'POST', path: '/post/crab', audience: 'public' },
  getUserKey: { method: 'GET', path: '/get/user/key', audience: 'public' },

  adminLogin: { method: 'POST', path: '/admin/login', audience: 'admin' },
  adminMe: { method: 'GET', path: '/admin/me', audience: 'admin' },
  listUsers: { method: 'GET', path: '/admin/users', audience: 'admin' },
  createUser: { method: 'POST', path: '/admin/users', audience: 'admin' },
  showUser: { method: 'GET', path: '/admin/users/:name', audience: 'admin' },
  deleteUser: { method: 'DELETE', path: '/admin/users/:name', audience: 'admin' },
  resetUser: { method: 'POST', path: '/admin/users/:name/reset', audience: 'admin' },
  listUserFish: { method: 'GET', path: '/admin/users/:name/fish', audience: 'admin' },
  listUserCrab: { method: 'GET', path: '/admin/users/:name/crab', audience: 'admin' },
  addUserFish: { method: 'POST', path: '/admin/users/:name/fish', audience: 'admin' },
  addUserCrab: { method: 'POST', path: '/admin/users/:name/crab', audience: 'admin' },
  deleteUserFish: { method: 'DELETE', path: '/admin/users/:name/fish/:id', audience: 'admin' },
  deleteUserCrab: { method: 'DELETE', path: '/admin/users/:name/crab/:id', audience: 'admin' },
  listAdmins: { method: 'GET', path: '/admin/admins', audience: 'admin' },
  createAdmin: { method: 'POST', path: '/admin/admins', audience: 'admin' },
  deleteAdmin: { method: 'DELETE', path: '/admin/admins/:username', audience: 'admin' },
  stats: { method: 'GET', path: '/admin/stats', audience: 'admin' },
  leaderboard: { method: 'GET', path: '/admin/leaderboard', audience: 'admin' },
  audit: { method: 'GET', path: '/admin/audit', audience: 'admin' },

  livez: { method: 'GET', path: '/livez', audience: 'operations' },
  readyz: { method: 'GET', path: '/readyz', audience: 'operations' },
  metrics: { method: 'GET', path: '/metrics', audience: 'operations' },
  openapi: { method: 'GET', path: '/openapi.json', audience: 'operations' },
  docs: { method: 'GET', path: '/docs', audience: 'operations' },
} as const satisfies Record<string, Route>

/** The name of a route. */
export type RouteName = keyof typeof ROUTES

/**
 * The path of a route with its parameters filled in, percent-encoded.
 * @example routePath('resetUser', { name: 'Alex' }) // '/admin/users/Alex/reset'
 */
export function routePath(name: RouteName, params: Readonly<Record<string, string>> = {}): string {
  return ROUTES[name].path.replace(/:(\w+)/g, (_, key: string) => {
    const value = params[key]
    if (value === undefined) throw new TypeError(`The path of ${name} needs the parameter "${key}".`)
    return encodeURIComponent(value)
  })
}
