import type { RouteName } from '@fish-crab/sdk/contract'
import type { Handler } from '../http/router.ts'
import {
  adminMeHandler,
  auditHandler,
  createAdminHandler,
  deleteAdminHandler,
  listAdminsHandler,
  loginHandler,
} from './admin-accounts.ts'
import { addUserCatchesHandler, deleteUserCatchesHandler, listUserCatchesHandler } from './admin-catches.ts'
import { leaderboardHandler, statsHandler } from './admin-stats.ts'
import {
  createUserHandler,
  deleteUserHandler,
  listUsersHandler,
  resetUserHandler,
  showUserHandler,
} from './admin-users.ts'
import type { AdminHandler, Services } from './services.ts'

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
