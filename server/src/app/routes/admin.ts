import { accountHandlers } from './admin-accounts.ts'
import { userCatchesHandlers } from './admin-catches.ts'
import { statsHandlers } from './admin-stats.ts'
import { userHandlers } from './admin-users.ts'
import { exportHandlers } from './export.ts'
import { linkHandlers } from './login-links.ts'
import type { AdminHandlers, Services } from './services.ts'

export function adminHandlers(services: Services): AdminHandlers {
  return {
    ...accountHandlers(services),
    ...userHandlers(services),
    ...userCatchesHandlers(services),
    ...statsHandlers(services),
    ...linkHandlers(services),
    ...exportHandlers(services),
  }
}
