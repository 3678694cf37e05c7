import type { RouteName } from '@fish-crab/sdk/contract'
import type { AdminHandler } from '../auth/admin-access.ts'
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

/** The handler of every route for administrators. */
export function createAdminHandlers(services: Services) {
  return {
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
  } satisfies Partial<Record<RouteName, AdminHandler | Handler>>
}
