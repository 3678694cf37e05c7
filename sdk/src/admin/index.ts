export type { NonRetriedOptions } from '../client/core/options.ts'
export type {
  Administrator,
  AdministratorList,
  AdminRole,
  AuditAction,
  AuditEntry,
  AuditPage,
  CrabCollection,
  CreatedInvitation,
  CreatedUser,
  FishCollection,
  InvitationList,
  Leaderboard,
  LoginLink,
  NewApiKey,
  NewPassword,
  OwnAccount,
  ResetType,
  Saved,
  Session,
  Stats,
  Suspension,
  User,
  UserDetails,
  UserKey,
  UserLine,
  UserList,
  UserName,
} from '../contract/schemas.ts'
export type { AdminClientOptions } from './admin-options.ts'
export type { AdminsResource, NewAdministrator, PasswordChange } from './admins.ts'
export type {
  AdminCatchesResource,
  AdminCrabsResource,
  AdminFishResource,
  EntryOption,
  GamemodeOption,
  MoveOption,
} from './catches.ts'
export { type AdminClient, createAdminClient } from './create-admin-client.ts'
export type { ExportOptions } from './export.ts'
export type { InvitationsResource, NewInvitation } from './invitations.ts'
export type { AuditResource, IterateAuditOptions, LeaderboardOptions, ListAuditOptions, Reports } from './reports.ts'
export type {
  AdminIterateOptions,
  AdminListOptions,
  IterateUsersOptions,
  ListUsersOptions,
} from './requests.ts'
export type { AdminKeysResource, NewUser, ResetResult, UsersResource } from './users.ts'
