import type { Route } from './route.ts'

/** What players and pages use. */
export const PUBLIC_ROUTES = {
  status: { method: 'GET', path: '/status', audience: 'public' },
  demoFish: { method: 'GET', path: '/demo/fish', audience: 'public' },
  demoCrab: { method: 'GET', path: '/demo/crab', audience: 'public' },
  getFish: { method: 'GET', path: '/get/fish', audience: 'public' },
  getCrab: { method: 'GET', path: '/get/crab', audience: 'public' },
  postFish: { method: 'POST', path: '/post/fish', audience: 'public' },
  postCrab: { method: 'POST', path: '/post/crab', audience: 'public' },
  getUserKey: { method: 'GET', path: '/get/user/key', audience: 'public' },
} as const satisfies Record<string, Route>
