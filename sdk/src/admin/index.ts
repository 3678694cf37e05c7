export type {
  Administrator,
  AdministratorList,
  AdminRole,
  AuditAction,
  AuditEntry,
  AuditPage,
  CreatedUser,
  Leaderboard,
  ResetType,
  Session,
  Stats,
  User,
  UserList,
} from '../contract/schemas/admin.ts'
export type { CrabCollection, FishCollection, Saved } from '../contract/schemas/catches.ts'
export type { UserKey } from '../contract/schemas/service.ts'
export type { AdminClientOptions } from './admin-options.ts'
export { type AdminClient, createAdminClient } from './create-admin-client.ts'
export type { AdminKeysResource } from './resources/admin-keys.ts'
export type { AdminsResource, NewAdministrator } from './resources/admins.ts'
export type { AuditResource } from './resources/audit.ts'
export type { AdminCatchesResource, AdminCrabsResource, AdminFishResource, InGamemode } from './resources/catches.ts'
export type {
  IterateUsersOptions,
  ListUsersOptions,
  OnceOptions,
  PageOptions,
  PagesOptions,
} from './resources/options.ts'
export type { LeaderboardOptions, Reports } from './resources/reports.ts'
export type { ResetResult } from './resources/reset.ts'
export type { NewUser, UsersResource } from './resources/users.ts'
