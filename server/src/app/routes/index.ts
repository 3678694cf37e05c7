import {
  type Authentication,
  OPERATIONS,
  OWN_ROUTES,
  PAGE_ROUTES,
  ROUTES,
  type RouteName,
  userNameKey,
} from '@fish-crab/sdk/contract'
import { lazy } from '../core/cache.ts'
import type { RequestContext } from '../http/context.ts'
import { HttpError } from '../http/http-error.ts'
import { countRequest } from '../http/rate-limit.ts'
import { type Handler, notFound } from '../http/router.ts'
import { docsHandler, openApiHandler } from './docs.ts'
import { demoCrab, demoFish, readHandler } from './read.ts'
import type { AdminHandler, AdminHandlers, Services } from './services.ts'
import { livez, metricsHandler, readyzHandler, statusHandler } from './status.ts'
import { userKeyHandler } from './user-key.ts'
import { writeHandler } from './write.ts'

const ALL = Object.keys(ROUTES) as RouteName[]
const ADMIN = ALL.filter((name) => ROUTES[name].access === 'admin')
const OWN = ALL.filter((name) => name in OWN_ROUTES)
const PAGES = ALL.filter((name) => name in PAGE_ROUTES)

/** Creates handlers whose code is loaded at the first request, because mocks in a page rarely need these handlers. */
function lazyHandlers(names: readonly RouteName[], load: () => Promise<AdminHandlers>): AdminHandlers {
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
  const { pages } = services
  const onDemand = () => import('./on-demand.ts')
  const loadAdmin = lazy(async () => (await onDemand()).adminHandlers(services))
  const loadSpecies = lazy(async () => (await onDemand()).speciesHandlers(services))
  const loadLeaderboards = lazy(async () => (await onDemand()).leaderboardHandlers(services))
  const loadProfiles = lazy(async () => (await onDemand()).profileHandlers(services, (await loadSpecies()).known))
  const loadOwn = lazy(async (): Promise<AdminHandlers> => {
    const { ownAccountHandlers, ownCatchesHandlers, redeemHandler } = await onDemand()
    return { ...ownCatchesHandlers(services), ...ownAccountHandlers(services), ...redeemHandler(services) }
  })
  const loadPages = lazy(async () => {
    if (!pages) return { byRoute: {}, notFound }
    const { notFoundHandler, pageHandlers } = await onDemand()
    return {
      byRoute: pageHandlers(pages, services, { loadProfiles, loadLeaderboards }),
      notFound: notFoundHandler(pages, services),
    }
  })
  let closeStreams = () => {}
  // This code loads on demand, because mocks in a page rarely need event streams.
  const loadEvents = lazy(async () => {
    const events = (await import('./events.ts')).createEvents(services)
    closeStreams = events.close
    return events
  })
  // This module loads on demand, because its JSON Schema generator takes longer to load than the rest of the app.
  const loadOpenApi = lazy(() => import('@fish-crab/sdk/openapi'))
  const handlers: AdminHandlers = {
    status: statusHandler(services),
    demoFish,
    demoCrab,
    getFish: readHandler(services, 'fish'),
    getCrab: readHandler(services, 'crab'),
    getProfile: async (context) => (await loadProfiles()).getProfile(context),
    getSpecies: async (context) => (await loadSpecies()).getSpecies(context),
    events: async (context) => (await loadEvents()).handle(context),
    postFish: writeHandler(services, 'fish'),
    postCrab: writeHandler(services, 'crab'),
    ...(services.publicLeaderboard
      ? { getLeaderboard: async (context: RequestContext) => (await loadLeaderboards()).getLeaderboard(context) }
      : {}),
    getUserKey: userKeyHandler(services),
    ...lazyHandlers(OWN, loadOwn),
    ...lazyHandlers(ADMIN, loadAdmin),
    livez,
    readyz: readyzHandler(services),
    openapi: openApiHandler(services, loadOpenApi, () => Object.keys(handlers) as RouteName[]),
    ...(services.metrics ? { metrics: metricsHandler(services.metrics, services) } : {}),
    ...(services.docs ? { docs: docsHandler(services.docs) } : {}),
    ...(pages ? lazyHandlers(PAGES, async () => (await loadPages()).byRoute) : {}),
  }
  const byRoute = Object.fromEntries(
    Object.entries(handlers).map(([name, handle]) => [
      name,
      requireAccess(services, OPERATIONS[name as RouteName].auth, handle),
    ]),
  )
  return {
    byRoute,
    notFound: async (context: RequestContext) => (await loadPages()).notFound(context),
    async load(): Promise<void> {
      const all = [loadAdmin, loadOpenApi, loadEvents, loadProfiles, loadSpecies, loadLeaderboards, loadOwn, loadPages]
      await Promise.all(all.map((load) => load()))
    },
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
