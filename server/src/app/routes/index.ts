import { type Authentication, OPERATIONS, ROUTES, type RouteName, userNameKey } from '@fish-crab/sdk/contract'
import { lazy } from '../core/cache.ts'
import { HttpError } from '../http/http-error.ts'
import { countRequest } from '../http/rate-limit.ts'
import { type Handler, notFound } from '../http/router.ts'
import { docsHandler, openApiHandler } from './docs.ts'
import { publicLeaderboardHandler } from './leaderboard.ts'
import { ownCatchesHandlers } from './own-catches.ts'
import { notFoundHandler, pageHandlers } from './pages.ts'
import { demoCrab, demoFish, readHandler } from './read.ts'
import type { AdminHandler, AdminHandlers, Services } from './services.ts'
import { livez, metricsHandler, readyzHandler, statusHandler } from './status.ts'
import { userKeyHandler } from './user-key.ts'
import { writeHandler } from './write.ts'

/**
 * Creates the handlers for administrators. The first request loads their code, because mocks in a page rarely need
 * them.
 */
function lazyHandlers(load: () => Promise<AdminHandlers>): AdminHandlers {
  const names = (Object.keys(ROUTES) as RouteName[]).filter((name) => ROUTES[name].access === 'admin')
  return Object.fromEntries(
    names.map((name): [RouteName, AdminHandler] => [
      name,
      async (context, admin) => {
        const handle = (await load())[name]
        if (!handle) throw new HttpError('not_found')
        return handle(context, admin)
      },
    ]),
  )
}

export function createHandlers(services: Services) {
  const loadAdmin = lazy(async () => (await import('./admin.ts')).adminHandlers(services))
  let closeStreams = () => {}
  // This code loads on demand, because mocks in a page rarely need event streams.
  const loadEvents = lazy(async () => {
    const events = (await import('./events.ts')).createEvents(services)
    closeStreams = events.close
    return events
  })
  const loadProfiles = lazy(async () => (await import('./profile.ts')).profileHandlers(services))
  // This module loads on demand, because its JSON Schema generator takes longer to load than the rest of the app.
  const loadOpenApi = lazy(() => import('@fish-crab/sdk/openapi'))
  const handlers: AdminHandlers = {
    status: statusHandler(services),
    demoFish,
    demoCrab,
    getFish: readHandler(services, 'fish'),
    getCrab: readHandler(services, 'crab'),
    getProfile: async (context) => (await loadProfiles()).getProfile(context),
    events: async (context) => (await loadEvents()).handle(context),
    postFish: writeHandler(services, 'fish'),
    postCrab: writeHandler(services, 'crab'),
    ...(services.publicLeaderboard ? { getLeaderboard: publicLeaderboardHandler(services) } : {}),
    getUserKey: userKeyHandler(services),
    ...ownCatchesHandlers(services),
    ...lazyHandlers(loadAdmin),
    livez,
    readyz: readyzHandler(services),
    openapi: openApiHandler(services, loadOpenApi, () => Object.keys(handlers) as RouteName[]),
    ...(services.metrics ? { metrics: metricsHandler(services.metrics, services) } : {}),
    ...(services.docs ? { docs: docsHandler(services.docs) } : {}),
    ...(services.pages ? pageHandlers(services.pages, services, loadProfiles) : {}),
  }
  const byRoute = Object.fromEntries(
    Object.entries(handlers).map(([name, handle]) => [
      name,
      requireAccess(services, OPERATIONS[name as RouteName].auth, handle),
    ]),
  )
  return {
    byRoute,
    notFound: services.pages ? notFoundHandler(services.pages, services) : notFound,
    load: () => Promise.all([loadAdmin(), loadOpenApi(), loadEvents(), loadProfiles()]),
    closeStreams: () => closeStreams(),
  }
}

/** Authenticates and rate limits administrators. The handlers of other routes authenticate their clients themselves. */
function requireAccess(services: Services, auth: Authentication, handle: AdminHandler): Handler {
  if (auth !== 'admin' && auth !== 'superadmin') return handle as Handler
  const { sessions, storage, clock, adminRateLimit } = services
  return async (context) => {
    const admin = await sessions.require(context.request)
    // Count by name, because the id changes with the password.
    await countRequest(storage, `admin:${userNameKey(admin.username)}`, adminRateLimit, context, clock())
    if (auth === 'superadmin' && admin.role !== 'superadmin') throw new HttpError('forbidden')
    return handle(context, admin)
  }
}
