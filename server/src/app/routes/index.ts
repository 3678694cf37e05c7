import { OPERATIONS, type OpenApiObject, openApiDocument, type RouteName } from '@fish-crab/sdk/contract'
import { type AdminHandler, guarded } from '../auth/admin-access.ts'
import { json } from '../http/answer.ts'
import type { Handler, Services } from '../services.ts'
import {
  adminMeHandler,
  auditHandler,
  createAdminHandler,
  deleteAdminHandler,
  listAdminsHandler,
} from './admin-admins.ts'
import { addUserCatchesHandler, deleteUserCatchesHandler, listUserCatchesHandler } from './admin-collections.ts'
import { loginHandler } from './admin-session.ts'
import { leaderboardHandler, statsHandler } from './admin-stats.ts'
import {
  createUserHandler,
  deleteUserHandler,
  listUsersHandler,
  resetUserHandler,
  showUserHandler,
} from './admin-users.ts'
import { demoCrabHandler, demoFishHandler } from './demo.ts'
import { docsHandler } from './docs.ts'
import { metricsHandler } from './metrics.ts'
import { readHandler } from './read.ts'
import { livezHandler, readyzHandler, statusHandler } from './status.ts'
import { userKeyHandler } from './user-key.ts'
import { writeHandler } from './write.ts'

/** The handler of every route that the service answers. */
export function createHandlers(services: Services): Partial<Record<RouteName, Handler>> {
  let document: OpenApiObject | undefined
  const handlers: Partial<Record<RouteName, AdminHandler | Handler>> = {
    status: statusHandler(services),
    demoFish: demoFishHandler(),
    demoCrab: demoCrabHandler(),
    getFish: readHandler(services, 'fish'),
    getCrab: readHandler(services, 'crab'),
    postFish: writeHandler(services, 'fish'),
    postCrab: writeHandler(services, 'crab'),
    getUserKey: userKeyHandler(services),
    adminLogin: loginHandler(services),
    adminMe: adminMeHandler(),
    listUsers: listUsersHandler(services),
    createUser: createUserHandler(services),
    showUser: showUserHandler(services),
    deleteUser: deleteUserHandler(services),
    resetUser: resetUserHandler(services),
    listUserFish: listUserCatchesHandler(services, 'fish'),
    listUserCrab: listUserCatchesHandler(services, 'crab'),
    addUserFish: addUserCatchesHandler(services, 'fish'),
    addUserCrab: addUserCatchesHandler(services, 'crab'),
    deleteUserFish: deleteUserCatchesHandler(services, 'fish'),
    deleteUserCrab: deleteUserCatchesHandler(services, 'crab'),
    listAdmins: listAdminsHandler(services),
    createAdmin: createAdminHandler(services),
    deleteAdmin: deleteAdminHandler(services),
    stats: statsHandler(services),
    leaderboard: leaderboardHandler(services),
    audit: auditHandler(services),
    livez: livezHandler(),
    readyz: readyzHandler(services),
    // Made when it is first asked for: it takes longer than all else that an app begins with.
    openapi: () => {
      document ??= openApiDocument({ version: services.version, routes: Object.keys(handlers) as RouteName[] })
      return json(200, document)
    },
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
