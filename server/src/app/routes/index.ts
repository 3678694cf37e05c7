import { OPERATIONS, ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import { type AdminHandler, guarded } from '../auth/admin-access.ts'
import { Failure } from '../http/failure.ts'
import { lazy } from '../lazy.ts'
import type { Handler, Services } from '../services.ts'
import { demoCrabHandler, demoFishHandler } from './demo.ts'
import { docsHandler } from './docs.ts'
import { metricsHandler } from './metrics.ts'
import { openApiHandler } from './openapi.ts'
import { readHandler } from './read.ts'
import { livezHandler, readyzHandler, statusHandler } from './status.ts'
import { userKeyHandler } from './user-key.ts'
import { writeHandler } from './write.ts'

/** The handlers of a service. */
export interface Handlers {
  /** Of every route that it answers. */
  readonly byRoute: Partial<Record<RouteName, Handler>>
  /** Loads what else is loaded with the first request that needs it: pages that mock the service hardly ever make one. */
  load(): Promise<unknown>
}

function adminHandlers(load: () => Promise<Partial<Record<RouteName, AdminHandler>>>) {
  const names = (Object.keys(ROUTES) as RouteName[]).filter((name) => ROUTES[name].audience === 'admin')
  return Object.fromEntries(
    names.map((name): [RouteName, AdminHandler] => [
      name,
      async (exchange, admin) => {
        const handle = (await load())[name]
        if (!handle) throw new Failure('not_found')
        return handle(exchange, admin)
      },
    ]),
  )
}

/** Makes the handlers. */
export function createHandlers(services: Services): Handlers {
  const loadAdmin = lazy(async () => (await import('./admin.ts')).createAdminHandlers(services))
  // It brings what makes JSON Schemas, which takes longer to load than an app to begin.
  const loadOpenApi = lazy(() => import('@fish-crab/sdk/openapi'))
  const handlers: Partial<Record<RouteName, AdminHandler | Handler>> = {
    status: statusHandler(services),
    demoFish: demoFishHandler(),
    demoCrab: demoCrabHandler(),
    getFish: readHandler(services, 'fish'),
    getCrab: readHandler(services, 'crab'),
    postFish: writeHandler(services, 'fish'),
    postCrab: writeHandler(services, 'crab'),
    getUserKey: userKeyHandler(services),
    ...adminHandlers(loadAdmin),
    livez: livezHandler(),
    readyz: readyzHandler(services),
    openapi: openApiHandler(services, loadOpenApi, () => Object.keys(handlers) as RouteName[]),
    ...(services.metrics ? { metrics: metricsHandler(services.metrics) } : {}),
    ...(services.docs ? { docs: docsHandler(services.docs) } : {}),
  }
  const byRoute = Object.fromEntries(
    Object.entries(handlers).map(([name, handle]) => [
      name,
      guarded(services, OPERATIONS[name as RouteName].auth, handle),
    ]),
  )
  return { byRoute, load: () => Promise.all([loadAdmin(), loadOpenApi()]) }
}
