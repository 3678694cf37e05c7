/** The path prefix of version 1. The service also serves every path without this prefix, as version 1. */
export const VERSION_PREFIX = '/v1'

/**
 * The group of a route, which selects the rate limit: `public` routes have one limit per client, `admin` routes have
 * one limit per administrator, and `operations` routes have no limit.
 */
export type Access = 'public' | 'admin' | 'operations'

/** One route: its method, its path (`:name` is a parameter) and its access. */
export interface Route {
  /** Routes with `GET` also accept `HEAD`. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** @example '/admin/users/:name' */
  readonly path: string
  /** The group of the route, which selects the rate limit. */
  readonly access: Access
}

/** The path of the status endpoint, which lists the gamemodes. */
export const STATUS_PATH = '/status'

/** The routes for players and pages. */
export const PUBLIC_ROUTES = {
  status: { method: 'GET', path: STATUS_PATH, access: 'public' },
  demoFish: { method: 'GET', path: '/demo/fish', access: 'public' },
  demoCrab: { method: 'GET', path: '/demo/crab', access: 'public' },
  getFish: { method: 'GET', path: '/get/fish', access: 'public' },
  getCrab: { method: 'GET', path: '/get/crab', access: 'public' },
  postFish: { method: 'POST', path: '/post/fish', access: 'public' },
  postCrab: { method: 'POST', path: '/post/crab', access: 'public' },
  getLeaderboard: { method: 'GET', path: '/get/leaderboard', access: 'public' },
  getUserKey: { method: 'GET', path: '/get/user/key', access: 'public' },
} as const satisfies Record<string, Route>

/** Further read routes. This constant is separate so that pages that only read collections do not load it. */
export const FURTHER_ROUTES = {
  events: { method: 'GET', path: '/events', access: 'public' },
  getProfile: { method: 'GET', path: '/get/profile', access: 'public' },
  getSpecies: { method: 'GET', path: '/get/species', access: 'public' },
} as const satisfies Record<string, Route>

/** The routes with which players change their own catches and their account. */
export const OWN_ROUTES = {
  deleteOwnFish: { method: 'DELETE', path: '/user/fish/:id', access: 'public' },
  deleteOwnCrab: { method: 'DELETE', path: '/user/crab/:id', access: 'public' },
  moveOwnFish: { method: 'POST', path: '/user/fish/:id/move', access: 'public' },
  moveOwnCrab: { method: 'POST', path: '/user/crab/:id/move', access: 'public' },
  changeOwnPassword: { method: 'POST', path: '/user/password', access: 'public' },
  renameOwn: { method: 'POST', path: '/user/rename', access: 'public' },
  updateOwn: { method: 'PATCH', path: '/user', access: 'public' },
  deleteOwn: { method: 'DELETE', path: '/user', access: 'public' },
  redeemLoginLink: { method: 'POST', path: '/user/login-link', access: 'operations' },
} as const satisfies Record<string, Route>

/** The path of the administrator login. */
export const LOGIN_PATH = '/admin/login'

/** The path of the OpenAPI document. */
export const OPENAPI_PATH = '/openapi.json'

/** The routes for administrators. */
export const ADMIN_ROUTES = {
  adminLogin: { method: 'POST', path: LOGIN_PATH, access: 'admin' },
  adminLogout: { method: 'POST', path: '/admin/logout', access: 'admin' },
  adminMe: { method: 'GET', path: '/admin/me', access: 'admin' },
  changeAdminPassword: { method: 'POST', path: '/admin/password', access: 'admin' },
  listUsers: { method: 'GET', path: '/admin/users', access: 'admin' },
  createUser: { method: 'POST', path: '/admin/users', access: 'admin' },
  createUsers: { method: 'POST', path: '/admin/users/bulk', access: 'admin' },
  showUser: { method: 'GET', path: '/admin/users/:name', access: 'admin' },
  deleteUser: { method: 'DELETE', path: '/admin/users/:name', access: 'admin' },
  resetUser: { method: 'POST', path: '/admin/users/:name/reset', access: 'admin' },
  renameUser: { method: 'POST', path: '/admin/users/:name/rename', access: 'admin' },
  suspendUser: { method: 'POST', path: '/admin/users/:name/suspend', access: 'admin' },
  unsuspendUser: { method: 'POST', path: '/admin/users/:name/unsuspend', access: 'admin' },
  createLoginLink: { method: 'POST', path: '/admin/users/:name/login-link', access: 'admin' },
  listUserFish: { method: 'GET', path: '/admin/users/:name/fish', access: 'admin' },
  listUserCrab: { method: 'GET', path: '/admin/users/:name/crab', access: 'admin' },
  addUserFish: { method: 'POST', path: '/admin/users/:name/fish', access: 'admin' },
  addUserCrab: { method: 'POST', path: '/admin/users/:name/crab', access: 'admin' },
  deleteUserFish: { method: 'DELETE', path: '/admin/users/:name/fish/:id', access: 'admin' },
  deleteUserCrab: { method: 'DELETE', path: '/admin/users/:name/crab/:id', access: 'admin' },
  moveUserFish: { method: 'POST', path: '/admin/users/:name/fish/:id/move', access: 'admin' },
  moveUserCrab: { method: 'POST', path: '/admin/users/:name/crab/:id/move', access: 'admin' },
  listAdmins: { method: 'GET', path: '/admin/admins', access: 'admin' },
  createAdmin: { method: 'POST', path: '/admin/admins', access: 'admin' },
  deleteAdmin: { method: 'DELETE', path: '/admin/admins/:username', access: 'admin' },
  resetAdmin: { method: 'POST', path: '/admin/admins/:username/reset', access: 'admin' },
  listInvitations: { method: 'GET', path: '/admin/invitations', access: 'admin' },
  createInvitation: { method: 'POST', path: '/admin/invitations', access: 'admin' },
  deleteInvitation: { method: 'DELETE', path: '/admin/invitations/:id', access: 'admin' },
  exportCatches: { method: 'GET', path: '/admin/export', access: 'admin' },
  stats: { method: 'GET', path: '/admin/stats', access: 'admin' },
  leaderboard: { method: 'GET', path: '/admin/leaderboard', access: 'admin' },
  audit: { method: 'GET', path: '/admin/audit', access: 'admin' },
} as const satisfies Record<string, Route>

/** The routes for operators. */
const OPERATIONS_ROUTES = {
  livez: { method: 'GET', path: '/livez', access: 'operations' },
  readyz: { method: 'GET', path: '/readyz', access: 'operations' },
  metrics: { method: 'GET', path: '/metrics', access: 'operations' },
  openapi: { method: 'GET', path: OPENAPI_PATH, access: 'operations' },
  docs: { method: 'GET', path: '/docs', access: 'operations' },
} as const satisfies Record<string, Route>

/** The HTML pages, and the pictures of players for other sites to embed. */
export const PAGE_ROUTES = {
  homePage: { method: 'GET', path: '/', access: 'operations' },
  demoPage: { method: 'GET', path: '/demo', access: 'operations' },
  playerPage: { method: 'GET', path: '/@:name', access: 'operations' },
  playerCard: { method: 'GET', path: '/@:name/card.png', access: 'public' },
  playerBadge: { method: 'GET', path: '/@:name/badge.svg', access: 'public' },
  monthPage: { method: 'GET', path: '/@:name/:month', access: 'operations' },
  monthCard: { method: 'GET', path: '/@:name/:month/card.png', access: 'public' },
  speciesPage: { method: 'GET', path: '/@:name/species', access: 'operations' },
  speciesCard: { method: 'GET', path: '/@:name/species/card.png', access: 'public' },
  versusPage: { method: 'GET', path: '/@:name/vs/@:other', access: 'operations' },
  versusCard: { method: 'GET', path: '/@:name/vs/@:other/card.png', access: 'public' },
  leaderboardPage: { method: 'GET', path: '/leaderboard', access: 'operations' },
  adminPage: { method: 'GET', path: '/admin', access: 'operations' },
  loginPage: { method: 'GET', path: '/login', access: 'operations' },
  overlaySetupPage: { method: 'GET', path: '/overlay', access: 'operations' },
  overlayPage: { method: 'GET', path: '/overlay/:name', access: 'operations' },
} as const satisfies Record<string, Route>

/** The folders from which pages load their files. */
export const ASSET_FOLDERS = { docs: '/docs', pages: '/assets' } as const

// A spread would keep all routes in a bundle, because bundlers do not remove unused spreads.
/** Every route of the service, by name. */
export const ROUTES = /* @__PURE__ */ Object.assign(
  {},
  PUBLIC_ROUTES,
  // The types of `Object.assign` cover at most four arguments.
  /* @__PURE__ */ Object.assign({}, FURTHER_ROUTES, OWN_ROUTES, ADMIN_ROUTES),
  /* @__PURE__ */ Object.assign({}, OPERATIONS_ROUTES, PAGE_ROUTES),
)

/** The name of a route. */
export type RouteName = keyof typeof ROUTES

/**
 * The path of a route with its parameters filled in, percent-encoded.
 * @example routePath('resetUser', { name: 'Alex' }) // '/admin/users/Alex/reset'
 */
export function routePath(name: RouteName, params?: Readonly<Record<string, string>>): string {
  return filledPath(ROUTES[name].path, params)
}

/**
 * A path with its parameters filled in, percent-encoded. @throws TypeError if a parameter is missing
 * @example filledPath('/admin/users/:name', { name: 'Alex' }) // '/admin/users/Alex'
 */
export function filledPath(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/:(\w+)/g, (_, key: string) => {
    const value = params[key]
    if (value === undefined) throw new TypeError(`The path ${path} needs the parameter "${key}".`)
    return encodeURIComponent(value)
  })
}
