import { OPERATIONS, ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import { type AdminHandler, guarded } from '../auth/admin-access.ts'
import { Failure } from '../http/failure.ts'
import type { Handler, Services } from '../services.ts'
import { demoCrabHandler, demoFishHandler } from './demo.ts'
import { docsHandler } from './docs.ts'
import { metricsHandler } from './metrics.ts'
import { openApiHandler } from './openapi.ts'
import { readHandler } from './read.ts'
import { livezHandler, readyzHandler, statusHandler } from './status.ts'
import { userKeyHandler } from './user-key.ts'
import { writeHandler } from './write.ts'

/**
 * The handlers of what administrators do. They are loaded with the first request to any of them: pages that mock the
 * service hardly ever make one.
 */
function adminHandlers(services: Services): Partial<Record<RouteName, AdminHandler>> {
  let loading: Promise<Partial<Record<RouteName, AdminHandler>>> | undefined
  const load = () => {
    loading ??= import('./admin.ts').then(({ createAdminHandlers }) => createAdminHandlers(services))
    return loading
  }
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

/** The handler of every route that the service answers. */
export function createHandlers(services: Services): Partial<Record<RouteName, Handler>> {
  const handlers: Partial<Record<RouteName, AdminHandler | Handler>> = {
    status: statusHandler(services),
    demoFish: demoFishHandler(),
    demoCrab: demoCrabHandler(),
    getFish: readHandler(services, 'fish'),
    getCrab: readHandler(services, 'crab'),
    postFish: writeHandler(services, 'fish'),
    postCrab: writeHandler(services, 'crab'),
    getUserKey: userKeyHandler(services),
    ...adminHandlers(services),
    livez: livezHandler(),
    readyz: readyzHandler(services),
    openapi: openApiHandler(services, () => Object.keys(handlers) as RouteName[]),
    ...(services.metrics ? { metrics: metricsHandler(services.metrics) } : {}),
    ...(services.docs ? { docs: docsHandler(services.docs) } : {}),
  }
  return Object.fromEntries(
    Object.entries(handlers).map(([name, handle]) => [
      name,
      guarded(services, OPERATIONS[name as RouteName].auth, handle),
    ]),
  )
}
