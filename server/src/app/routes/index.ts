import { openApiDocument, type RouteName } from '@fish-crab/sdk/contract'
import { json } from '../http/answer.ts'
import type { Handler, Services } from '../services.ts'
import { loginHandler } from './admin-session.ts'
import { createUserHandler, deleteUserHandler, listUsersHandler, resetUserHandler } from './admin-users.ts'
import { demoCrabHandler, demoFishHandler } from './demo.ts'
import { readHandler } from './read.ts'
import { livezHandler, readyzHandler, statusHandler } from './status.ts'
import { userKeyHandler } from './user-key.ts'
import { writeHandler } from './write.ts'

/** The handler of every route that the service answers. */
export function createHandlers(services: Services): Partial<Record<RouteName, Handler>> {
  const handlers: Partial<Record<RouteName, Handler>> = {
    status: statusHandler(services),
    demoFish: demoFishHandler(),
    demoCrab: demoCrabHandler(),
    getFish: readHandler(services, 'fish'),
    getCrab: readHandler(services, 'crab'),
    postFish: writeHandler(services, 'fish'),
    postCrab: writeHandler(services, 'crab'),
    getUserKey: userKeyHandler(services),
    adminLogin: loginHandler(services),
    listUsers: listUsersHandler(services),
    createUser: createUserHandler(services),
    deleteUser: deleteUserHandler(services),
    resetUser: resetUserHandler(services),
    livez: livezHandler(),
    readyz: readyzHandler(services),
    openapi: () => json(200, document),
  }
  const document = openApiDocument({ version: services.version, routes: Object.keys(handlers) as RouteName[] })
  return handlers
}
