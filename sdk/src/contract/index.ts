export { ERROR_CODES, type ErrorCode, isErrorCode } from './error-codes.ts'
export { GAMEMODES, type Gamemode, isGamemode } from './gamemodes.ts'
export { HEADERS, MEDIA_TYPES } from './headers.ts'
export { DEFAULT_CRAB_NAME, KINDS, type Kind } from './kinds.ts'
export { LIMITS } from './limits.ts'
export {
  CATCH_NAME_PATTERN,
  DEMO_USER,
  isUserName,
  REQUEST_ID_PATTERN,
  USER_NAME_PATTERN,
  USER_NAME_RULE,
  userNameKey,
} from './names.ts'
export { type Authentication, OPERATIONS, type Operation } from './operations.ts'
export {
  RARITIES,
  RARITY_LABELS,
  type RarityLabel,
  type RarityValue,
  rarityLabel,
  rarityValue,
} from './rarities.ts'
export type { Access, Route } from './routes.ts'
export { ROUTES, type RouteName, routePath, VERSION_PREFIX } from './routes.ts'
export {
  ADMIN_ROLES,
  type AdminRole,
  type AuditAction,
  type AuditEntry,
  type AuditPage,
  adminSchema,
  auditEntrySchema,
  auditQuerySchema,
  type CreatedUser,
  createdUserSchema,
  type Leaderboard,
  leaderboardQuerySchema,
  loginSchema,
  newAdminSchema,
  newUserSchema,
  plainCrabSchema,
  plainFishSchema,
  type ResetType,
  resetResultSchema,
  resetSchema,
  type Session,
  type Stats,
  sessionSchema,
  type User,
  type UserList,
  userListQuerySchema,
  userListSchema,
} from './schemas/admin.ts'
export {
  type Crab,
  type CrabCollection,
  type CrabEntry,
  crabBatchPayloadSchema,
  crabCollectionSchema,
  type Fish,
  type FishCollection,
  type FishEntry,
  fishBatchPayloadSchema,
  fishCollectionSchema,
  oneCrabPayloadSchema,
  oneFishPayloadSchema,
  readOptionsSchema,
  type Saved,
  savedSchema,
} from './schemas/catches.ts'
export { type ErrorBody, errorBodySchema } from './schemas/common.ts'
export { keySchema, type Status, statusSchema, type UserKey } from './schemas/service.ts'
