import * as z from 'zod/mini'
import { GAMEMODES, type Gamemode } from '../gamemodes.ts'
import { KINDS } from '../kinds.ts'
import { RARITY_LABELS, type RarityLabel } from '../rarities.ts'
import { crabEntriesSchema, fishEntriesSchema } from './catches.ts'
import {
  cursorSchema,
  gamemodeSchema,
  momentSchema,
  pageLimitSchema,
  passwordSchema,
  userNameSchema,
} from './common.ts'

/** The roles of administrators: `superadmin` may also delete users and manage administrators. */
export const ADMIN_ROLES = ['admin', 'superadmin'] as const

/** One of {@link ADMIN_ROLES}. */
export type AdminRole = (typeof ADMIN_ROLES)[number]

const roleSchema = z.enum(ADMIN_ROLES)
const pageQuery = { limit: z.optional(pageLimitSchema), cursor: z.optional(cursorSchema) }
const nextCursor = z.optional(z.string())

/** The body of a login. */
export const loginSchema = z.object({ username: z.string(), password: z.string() })

/** A session: a JWT for `Authorization: Bearer`, and when it ends. */
export const sessionSchema = z.object({ token: z.string(), expiresAt: momentSchema })

/** An administrator. */
export const adminSchema = z.object({ username: z.string(), role: roleSchema, createdAt: momentSchema })

/** All administrators. */
export const adminListSchema = z.object({ admins: z.array(adminSchema) })

/** The body of a new administrator. */
export const newAdminSchema = z.object({
  username: userNameSchema,
  password: passwordSchema,
  role: z._default(roleSchema, 'admin'),
})

/** A user, without secrets. */
export const userSchema = z.object({ id: z.string(), name: z.string(), createdAt: momentSchema })

/** The query of the list of users: part of a name, in any letter case. */
export const userListQuerySchema = z.object({ search: z.optional(z.string().check(z.maxLength(32))), ...pageQuery })

/** One page of users, by name. */
export const userListSchema = z.object({ users: z.array(userSchema), nextCursor })

/** The body of a new user; a missing password is generated. */
export const newUserSchema = z.object({ name: userNameSchema, password: z.optional(passwordSchema) })

/** A new user with its secrets, which are shown only once. */
export const createdUserSchema = z.object({
  ...userSchema.shape,
  password: z.string(),
  fernetKey: z.string(),
  apiKey: z.string(),
})

/** Which secret to replace. */
export const resetSchema = z.object({ type: z.enum(['password', 'fernet', 'api-key']) })

/** The new secret, under the name of the one it replaces. */
export const resetResultSchema = z.union([
  z.object({ password: z.string() }),
  z.object({ fernetKey: z.string() }),
  z.object({ apiKey: z.string() }),
])

/** The query of reads and writes of one collection by an administrator. */
export const collectionQuerySchema = z.object({ gamemode: gamemodeSchema })

/** Fish in plain JSON. */
export const plainFishSchema = z.object({ fish: fishEntriesSchema })

/** Crabs in plain JSON. */
export const plainCrabSchema = z.object({ crab: crabEntriesSchema })

const count = z.int().check(z.minimum(0))
const byGamemode = z.record(z.enum(GAMEMODES as unknown as [Gamemode, ...Gamemode[]]), count)

/** Totals of the service. */
export const statsSchema = z.object({
  users: count,
  fish: z.object({
    total: count,
    byGamemode,
    byRarity: z.record(z.enum(RARITY_LABELS as unknown as [RarityLabel, ...RarityLabel[]]), count),
  }),
  crab: z.object({ total: count, byGamemode }),
})

/** The query of the leaderboard; without a gamemode, all count. */
export const leaderboardQuerySchema = z.object({
  type: z.enum(KINDS),
  gamemode: z.optional(gamemodeSchema),
  limit: z.optional(pageLimitSchema),
})

/** The players with the most catches, highest first. */
export const leaderboardSchema = z.object({
  type: z.enum(KINDS),
  gamemode: z.optional(gamemodeSchema),
  leaderboard: z.array(z.object({ name: z.string(), count })),
})

/** The query of the audit log. */
export const auditQuerySchema = z.object(pageQuery)

/** The actions in the audit log. */
const AUDIT_ACTIONS = [
  'login',
  'key.read',
  'user.create',
  'user.delete',
  'user.reset.password',
  'user.reset.fernet',
  'user.reset.api-key',
  'fish.add',
  'fish.delete',
  'crab.add',
  'crab.delete',
  'admin.create',
  'admin.delete',
  'admin.reset.password',
] as const

/** One line of the audit log: who did what to whom, when, from where. */
export const auditEntrySchema = z.object({
  id: z.string(),
  at: momentSchema,
  actor: z.string(),
  action: z.enum(AUDIT_ACTIONS),
  subject: z.optional(z.string()),
  address: z.string(),
  requestId: z.string(),
})

/** One page of the audit log, newest first. */
export const auditPageSchema = z.object({ entries: z.array(auditEntrySchema), nextCursor })

/** A session of an administrator. */
export type Session = z.infer<typeof sessionSchema>
/** An administrator. */
export type Administrator = z.infer<typeof adminSchema>
/** All administrators. */
export type AdministratorList = z.infer<typeof adminListSchema>
/** A user, without secrets. */
export type User = z.infer<typeof userSchema>
/** One page of users. */
export type UserList = z.infer<typeof userListSchema>
/** A new user with its secrets. */
export type CreatedUser = z.infer<typeof createdUserSchema>
/** Which secret to replace. */
export type ResetType = z.infer<typeof resetSchema>['type']
/** The new secret, under the name of the one it replaces. */
export type ResetAnswer = z.infer<typeof resetResultSchema>
/** Totals of the service. */
export type Stats = z.infer<typeof statsSchema>
/** The players with the most catches. */
export type Leaderboard = z.infer<typeof leaderboardSchema>
/** The actions in the audit log. */
export type AuditAction = (typeof AUDIT_ACTIONS)[number]
/** One page of the audit log, newest first. */
export type AuditPage = z.infer<typeof auditPageSchema>
/** One line of the audit log. */
export type AuditEntry = z.infer<typeof auditEntrySchema>
