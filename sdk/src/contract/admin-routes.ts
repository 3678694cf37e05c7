import type { Route } from './route.ts'

/** What administrators use. */
export const ADMIN_ROUTES = {
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
} as const satisfies Record<string, Route>
