import * as z from 'zod/mini'
import { ERROR_CODES, type ErrorCode } from './error-codes.ts'
import { DEFAULT_CRAB_NAME, KINDS } from './kinds.ts'
import { ALL_TIME, LEADERBOARD_FIGURES, MONTH_PATTERN } from './leaderboards.ts'
import { ACCOUNT_LIMITS, LIMITS } from './limits.ts'
import { CATCH_NAME_PATTERN, USER_NAME_PATTERN, USER_NAME_RULE } from './names.ts'
import { RARITIES, RARITY_LABELS, type RarityLabel, type RarityValue } from './rarities.ts'

/** Accepts any text, because each service has its own gamemodes and checks them itself. */
export const gamemodeSchema = z.string()

export const catchNameSchema = z
  .string()
  .check(z.regex(CATCH_NAME_PATTERN, 'Must be 1 to 100 characters with no control characters'))

/** The name of a new user, except `.` and `..`, which no URL path can contain (RFC 3986, 5.2.4). */
const userNameSchema = z.string().check(
  z.regex(USER_NAME_PATTERN, `Must be ${USER_NAME_RULE}`),
  z.refine((name) => name !== '.' && name !== '..', 'Must not be "." or "..": such a name cannot stand in an address'),
)

/** A rarity in a write payload: an integer, 1 to 7. */
const rarityValueSchema = z.literal(
  RARITIES.map((rarity) => rarity.value) as [RarityValue, ...RarityValue[]],
  'Must be an integer from 1 to 7',
)

const rarityLabelSchema = z.enum(RARITY_LABELS as unknown as [RarityLabel, ...RarityLabel[]])

const dateTimeSchema = z.iso
  .datetime({ offset: true, abort: true })
  .check(z.refine(hasFourDigitYear, 'Must be a date-time whose year in UTC has four digits'))

function hasFourDigitYear(dateTime: string): boolean {
  const year = new Date(dateTime).getUTCFullYear()
  return year >= 0 && year <= 9999
}

/**
 * A chosen password. Lone surrogates are rejected, because UTF-8 encodes all of them as the same replacement character.
 */
const passwordSchema = z.string().check(
  z.minLength(ACCOUNT_LIMITS.minPasswordLength),
  z.maxLength(ACCOUNT_LIMITS.passwordLength),
  z.refine((password) => !/\p{Surrogate}/u.test(password), 'Must be Unicode text, without halves of surrogate pairs'),
)

const integerSchema = (smallest: number, largest: number) =>
  z.pipe(
    z.string().check(z.regex(/^[0-9]+$/, 'Must be an integer in decimal digits')),
    z.coerce.number<string>().check(z.int(), z.minimum(smallest), z.maximum(largest)),
  )
const limitSchema = (largest: number) => integerSchema(1, largest)
const pageLimitSchema = limitSchema(LIMITS.pageSize)

/** The start of a page: the `nextCursor` of the previous page, unchanged. */
const cursorSchema = z.string().check(z.minLength(1), z.maxLength(512))

/** The body of every error. */
export const errorBodySchema = z.object({
  error: z.string(),
  code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
  requestId: z.string(),
  details: z.optional(z.array(z.object({ path: z.string(), message: z.string() }))),
})

/** The body of every error. */
export type ErrorBody = z.infer<typeof errorBodySchema>

/**
 * `gamemodes` is absent if the service uses the default gamemodes. `publicUrl` is the address that players use.
 */
const statusFields = {
  timestamp: dateTimeSchema,
  version: z.string(),
  gamemodes: z.optional(z.array(gamemodeSchema)),
  publicUrl: z.optional(z.string()),
}

/** The response of `/status` while the storage works. */
export const statusSchema = z.object({ status: z.literal('ok'), ...statusFields })

/** The response of `/status` while the storage is unreachable. */
export const unavailableStatusSchema = z.object({
  status: z.literal('unavailable'),
  ...statusFields,
  error: z.string(),
  code: z.literal('unavailable'),
  requestId: z.string(),
})

/** The response of the liveness and readiness probes. */
export const probeSchema = z.object({ status: z.literal('ok') })

/** The query of the key endpoint: the user, required for administrators and optional for players. */
export const keyQuerySchema = z.object({ name: z.optional(z.string()) })

/** The response of the key endpoint. Both standard and URL-safe base64 decoders accept the key. */
export const keySchema = z.object({ fernetKey: z.string() })

/** The response of `/status` while the storage works. */
export type Status = z.infer<typeof statusSchema>
/** The response of the key endpoint. */
export type UserKey = z.infer<typeof keySchema>

const savedFields = {
  id: z.optional(z.string()),
  entry: z.optional(z.number().check(z.int(), z.minimum(0))),
  caughtAt: z.optional(dateTimeSchema),
}

/**
 * A fish as the read endpoint returns it. `id`, `entry` and `caughtAt` are present with `detail=full`. `entry` is the
 * index at which the fish was posted in its record, from 0. It never changes.
 */
const fishSchema = z.object({ name: z.string(), rarity: rarityLabelSchema, ...savedFields })

/** A crab as the read endpoint returns it. `id`, `entry` and `caughtAt` are present with `detail=full`. */
const crabSchema = z.object({ name: z.string(), ...savedFields })

const nextCursor = z.optional(z.string())
const collectionFields = { user: z.string(), nextCursor }

/** The response to fish reads, with the oldest fish first. */
export const fishCollectionSchema = z.object({ ...collectionFields, fish: z.array(fishSchema) })

/** The response to crab reads, with the oldest crab first. */
export const crabCollectionSchema = z.object({ ...collectionFields, crab: z.array(crabSchema) })

const count = z.int().check(z.minimum(0))
const byRarity = z.record(z.enum(RARITY_LABELS as unknown as [RarityLabel, ...RarityLabel[]]), count)

const speciesFields = {
  count,
  firstCaughtAt: dateTimeSchema,
  lastCaughtAt: dateTimeSchema,
}
const summaryFields = { user: z.string(), gamemode: gamemodeSchema, total: count, unique: count }

/**
 * The summary of a player's fish. `species` is sorted by count, highest first, then by name. A fish name with two
 * rarities has two entries in `species`, but counts once in `unique`.
 */
export const fishSummarySchema = z.object({
  ...summaryFields,
  byRarity,
  species: z.array(z.object({ name: z.string(), rarity: rarityLabelSchema, ...speciesFields })),
})

/** The summary of a player's crabs. `species` is sorted by count, highest first, then by name. */
export const crabSummarySchema = z.object({
  ...summaryFields,
  species: z.array(z.object({ name: z.string(), ...speciesFields })),
})

const daySchema = z.object({
  /** A UTC day, such as `2026-01-31`. */
  day: z.string(),
  count,
})

const collectionProfileFields = {
  total: count,
  unique: z.optional(count),
  lastCaughtAt: z.optional(dateTimeSchema),
  complete: z.optional(z.literal(false)),
}

/** The query of a profile. `species=true` adds every species to each gamemode. */
export const profileOptionsSchema = z.object({ species: z.optional(z.enum(['true', 'false'])) })

/** The query of a profile, with the name of the user. */
export const profileQuerySchema = z.object({ name: z.string(), ...profileOptionsSchema.shape })

/**
 * Statistics about all catches of a player. `rarest` has up to five species, sorted by rarity, rarest first, then by
 * count, lowest first. `latest` has up to five catches, sorted by storage time, newest first. `days` has the last 366
 * days with a catch, earliest first. `streak.current` is the number of consecutive days with a catch up to today or
 * yesterday. Without catches, the times and `bestDay` are absent.
 *
 * A collection with more than 10,000 species or days has `complete: false`, and has neither `unique` nor `species`. The
 * other statistics then cover its species only if it has up to 10,000 species, and its days only if it has up to 10,000
 * days. `total` always counts all catches.
 */
export const profileSchema = z.object({
  user: z.string(),
  total: count,
  unique: count,
  firstCaughtAt: z.optional(dateTimeSchema),
  lastCaughtAt: z.optional(dateTimeSchema),
  byRarity,
  gamemodes: z.array(
    z.object({
      gamemode: gamemodeSchema,
      fish: z.object({ ...collectionProfileFields, species: z.optional(fishSummarySchema.shape.species) }),
      crab: z.object({ ...collectionProfileFields, species: z.optional(crabSummarySchema.shape.species) }),
    }),
  ),
  rarest: fishSummarySchema.shape.species,
  latest: z.array(
    z.object({
      kind: z.enum(KINDS),
      gamemode: gamemodeSchema,
      name: z.string(),
      rarity: z.optional(rarityLabelSchema),
      id: z.string(),
      caughtAt: dateTimeSchema,
    }),
  ),
  days: z.array(daySchema),
  bestDay: z.optional(daySchema),
  streak: z.object({ current: count, longest: count }),
  knownSpecies: z.optional(z.object({ total: count, caught: count })),
})

const pageFields = { limit: z.optional(pageLimitSchema), cursor: z.optional(cursorSchema) }

/** The query of a read without `name` and `gamemode`, because these two parameters have their own error codes. */
export const readOptionsSchema = z.object({
  detail: z.optional(z.literal('full')),
  ...pageFields,
  summary: z.optional(z.literal('species')),
})

/** The query of a read. */
export const readQuerySchema = z.object({
  name: z.string(),
  gamemode: gamemodeSchema,
  ...readOptionsSchema.shape,
})

/** The names of the events of `/events`. */
export const EVENTS = ['ready', 'catch', 'removed', 'deleted'] as const

/**
 * The query of an event stream without `name` and `gamemode`, because these two parameters have their own error codes.
 */
export const eventOptionsSchema = z.object({
  kind: z.optional(z.enum(KINDS)),
  follow: z.optional(z.enum(['true', 'false'])),
})

/** The query of an event stream. */
export const eventsQuerySchema = z.object({
  name: z.string(),
  gamemode: z.optional(gamemodeSchema),
  ...eventOptionsSchema.shape,
})

const batch = <Entry extends z.ZodMiniType>(entry: Entry) =>
  z.array(entry).check(z.minLength(1), z.maxLength(LIMITS.entriesPerWrite))

/** The `fish` of a payload: 1 to 500 entries. */
export const fishEntriesSchema = batch(
  z.object({ name: catchNameSchema, rarity: rarityValueSchema, caughtAt: z.optional(dateTimeSchema) }),
)

/** Rejects `rarity`. Otherwise, a fish that is sent to a crab path would be stored as a crab. */
const crabFields = {
  rarity: z.optional(z.never('Must be left out: a crab has none, and a fish belongs to the path that ends in /fish')),
}

/** The `crab` of a payload: 1 to 500 entries. `name` defaults to `crab`. */
export const crabEntriesSchema = batch(
  z.object({
    name: z._default(catchNameSchema, DEFAULT_CRAB_NAME),
    caughtAt: z.optional(dateTimeSchema),
    ...crabFields,
  }),
)

const targetFields = { user: z.optional(z.string()), gamemode: z.optional(z.string()) }

/** The long form of a fish payload. */
export const fishBatchPayloadSchema = z.object({ ...targetFields, fish: fishEntriesSchema })

/** The short form of a fish payload: one fish. */
export const oneFishPayloadSchema = z.object({ ...targetFields, fish: catchNameSchema, rarity: rarityValueSchema })

/** The long form of a crab payload. */
export const crabBatchPayloadSchema = z.object({ ...targetFields, crab: crabEntriesSchema })

/** The short form of a crab payload: one crab. */
export const oneCrabPayloadSchema = z.object({ ...targetFields, fish: catchNameSchema, ...crabFields })

/**
 * The query of a write: the name of the user whose key encrypts the token, and the gamemode if the request has no
 * gamemode header.
 */
export const writeQuerySchema = z.object({ name: z.optional(z.string()), gamemode: z.optional(gamemodeSchema) })

/** The response to a write, with the id of the record. */
export const savedSchema = z.object({ message: z.string(), id: z.string() })

/** A fish as the read endpoint returns it. */
export type Fish = z.infer<typeof fishSchema>
/** A crab as the read endpoint returns it. */
export type Crab = z.infer<typeof crabSchema>
/** A fish in a payload. */
export type FishEntry = z.infer<typeof fishEntriesSchema>[number]
/** A crab in a payload. */
export type CrabEntry = z.infer<typeof crabEntriesSchema>[number]
/** The response to fish reads. */
export type FishCollection = z.infer<typeof fishCollectionSchema>
/** The response to crab reads. */
export type CrabCollection = z.infer<typeof crabCollectionSchema>
/** The summary of a player's fish. */
export type FishSummary = z.infer<typeof fishSummarySchema>
/** The summary of a player's crabs. */
export type CrabSummary = z.infer<typeof crabSummarySchema>
/** Statistics about all catches of a player. */
export type Profile = z.infer<typeof profileSchema>
/** The response to a write. */
export type Saved = z.infer<typeof savedSchema>

/** The roles of administrators: `superadmin` may also delete users and manage administrators. */
export const ADMIN_ROLES = ['admin', 'superadmin'] as const

/** One of {@link ADMIN_ROLES}. */
export type AdminRole = (typeof ADMIN_ROLES)[number]

const roleSchema = z.enum(ADMIN_ROLES)

/** The body of a login. */
export const loginSchema = z.object({ username: z.string(), password: z.string() })

/** A session: a JWT for `Authorization: Bearer`, and its expiry time. */
export const sessionSchema = z.object({ token: z.string(), expiresAt: dateTimeSchema })

/** An administrator. */
export const adminSchema = z.object({ username: z.string(), role: roleSchema, createdAt: dateTimeSchema })

/**
 * The administrator of a session, with the facts of `/status`, so that administrators need no public request. `publicUrl`
 * is absent if the operator has not set it.
 */
export const ownAccountSchema = z.object({ ...adminSchema.shape, ...statusFields })

/** All administrators. */
export const adminListSchema = z.object({ admins: z.array(adminSchema) })

/** The body of a new administrator. */
export const newAdminSchema = z.object({
  username: userNameSchema,
  password: passwordSchema,
  role: z._default(roleSchema, 'admin'),
})

/**
 * A user, without secrets. `suspended`: the user cannot log in or add catches. `hidden`: in addition, reads and pages
 * treat the user as unknown. `public` is `false` if the user chose to be visible only with the user's own API key. A
 * flag with its default is absent.
 */
const userSchema = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: dateTimeSchema,
  suspended: z.optional(z.boolean()),
  hidden: z.optional(z.boolean()),
  public: z.optional(z.boolean()),
})

/**
 * A user with the number of catches and the latest catch by `caughtAt`. `totals` and `lastCatch` are absent if they are
 * unknown.
 */
const userTotalsSchema = z.object({
  ...userSchema.shape,
  totals: z.optional(z.object({ fish: count, crab: count })),
  lastCatch: z.optional(z.object({ at: dateTimeSchema, kind: z.enum(KINDS), gamemode: z.string() })),
})

/** A user with catch totals, the latest catch, and the time of the last read of the Fernet key. */
export const userDetailsSchema = z.object({ ...userTotalsSchema.shape, lastKeyReadAt: z.optional(dateTimeSchema) })

/**
 * The query of the list of users. `search` is a part of the name, in any letter case. `totals=true` adds the number of
 * catches and the latest catch, and limits a page to 50 users.
 */
export const userListQuerySchema = z.object({
  search: z.optional(z.string().check(z.maxLength(32))),
  totals: z.optional(z.enum(['true', 'false'])),
  ...pageFields,
})

/** One page of users, sorted by name. `totals` and `lastCatch` are absent unless the query has `totals=true`. */
export const userListSchema = z.object({ users: z.array(userTotalsSchema), nextCursor })

/** The body of a new user. Without a password, the service generates one. */
export const newUserSchema = z.object({ name: userNameSchema, password: z.optional(passwordSchema) })

/** A new user with its secrets, which are shown only once. */
export const createdUserSchema = z.object({
  ...userSchema.shape,
  password: z.string(),
  fernetKey: z.string(),
  apiKey: z.string(),
})

/**
 * The body of a request that creates users. Each user is checked separately: an invalid user gets an error line, and the
 * other users are created.
 */
export const newUsersSchema = z.object({
  users: z
    .array(z.object({ name: z.string(), password: z.optional(z.string()) }))
    .check(z.minLength(1), z.maxLength(ACCOUNT_LIMITS.usersPerRequest)),
})

/** One line of the response to a request that creates users: a new user with its secrets, or the reason why the
 * user was not created. */
export const userLineSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('created'), ...createdUserSchema.shape }),
  z.object({
    status: z.literal('error'),
    name: z.string(),
    code: errorBodySchema.shape.code,
    error: z.string(),
  }),
])

/** The new name of a user. */
export const renameSchema = z.object({ name: userNameSchema })

/** The name of a user after a change of the name. */
export const userNameResultSchema = z.object({ name: z.string() })

/** The body of a suspension. `hide`: reads and pages treat the user as unknown. @default false */
export const suspensionSchema = z.object({ hide: z.optional(z.boolean()) })

/** Whether a user is suspended and hidden. */
export const suspensionResultSchema = z.object({ name: z.string(), suspended: z.boolean(), hidden: z.boolean() })

/** The body of a change of a player's own account: whether everybody sees the collections. */
export const accountChangeSchema = z.object({ public: z.boolean() })

/** Whether everybody sees the collections of a player. */
export const accountResultSchema = z.object({ name: z.string(), public: z.boolean() })

/** The body of the deletion of a player's own account: the password again. */
export const accountDeletionSchema = z.object({ password: z.string() })

const linkHoursSchema = z._default(
  z.int().check(z.minimum(1), z.maximum(ACCOUNT_LIMITS.maxLinkHours)),
  ACCOUNT_LIMITS.linkHours,
)

/** The body of a new login link: its lifetime in hours. */
export const newLoginLinkSchema = z.object({ hours: linkHoursSchema })

/** A login link, which works once until `expiresAt`. */
export const loginLinkSchema = z.object({ url: z.string(), expiresAt: dateTimeSchema })

/** The body of a new invitation: the number of players that it creates, and its lifetime in hours. */
export const newInvitationSchema = z.object({
  uses: z.int().check(z.minimum(1), z.maximum(ACCOUNT_LIMITS.invitationUses)),
  hours: linkHoursSchema,
})

/** An invitation and the players who joined with it. `remaining` is the number of further players. */
const invitationSchema = z.object({
  id: z.string(),
  uses: count,
  remaining: count,
  createdBy: z.string(),
  createdAt: dateTimeSchema,
  expiresAt: dateTimeSchema,
  players: z.array(z.object({ name: z.string(), at: dateTimeSchema })),
})

/** A new invitation with its link, which no later response contains. */
export const createdInvitationSchema = z.object({ ...invitationSchema.shape, url: z.string() })

/** All invitations, the newest first. */
export const invitationListSchema = z.object({ invitations: z.array(invitationSchema) })

/**
 * The body of the redemption of a login link or an invitation. `token` is the fragment of the link. `nonce` is random
 * text of the client: a repetition with the same `nonce` gets the same response. `name` is the name of the new player,
 * only for an invitation.
 */
export const redemptionSchema = z.object({
  token: z.string().check(z.maxLength(128)),
  nonce: z.string().check(z.minLength(16), z.maxLength(64)),
  password: z.optional(passwordSchema),
  name: z.optional(userNameSchema),
})

/** The content of a login file: the address of the service and all secrets of the player. */
export const loginFileSchema = z.object({
  version: z.literal(1),
  service: z.string(),
  name: z.string(),
  password: z.string(),
  fernetKey: z.string(),
  apiKey: z.string(),
})

/** The query of an export. Without `kind` or `gamemode`, the export contains all kinds or gamemodes. */
export const exportQuerySchema = z.object({
  kind: z.optional(z.enum(KINDS)),
  gamemode: z.optional(gamemodeSchema),
  format: z.optional(z.enum(['csv', 'jsonl'])),
})

/** The type of the secret to replace. */
export const resetSchema = z.object({ type: z.enum(['password', 'fernet', 'api-key']) })

/** The body of a change of a player's own password. */
export const passwordChangeSchema = z.object({ password: passwordSchema })

/** The body of a change of an administrator's own password: the old password and the new password. */
export const adminPasswordChangeSchema = z.object({ password: z.string(), newPassword: passwordSchema })

/** A new password. */
export const newPasswordSchema = z.object({ password: z.string() })

/** A new API key. */
export const newApiKeySchema = z.object({ apiKey: z.string() })

/** The new secret: a password, a Fernet key or an API key. */
export const resetResultSchema = z.union([newPasswordSchema, keySchema, newApiKeySchema])

/** The query of a request for one collection: its gamemode. */
export const collectionQuerySchema = z.object({ gamemode: gamemodeSchema })

/** The option of a removal: the index of the entry to remove. @default all entries of the record */
export const removeOptionsSchema = z.object({ entry: z.optional(integerSchema(0, LIMITS.entriesPerWrite - 1)) })

/** The query of a removal. */
export const removeQuerySchema = z.object({ gamemode: gamemodeSchema, ...removeOptionsSchema.shape })

/** Fish in plain JSON. */
export const plainFishSchema = z.object({ fish: fishEntriesSchema })

/** Crabs in plain JSON. */
export const plainCrabSchema = z.object({ crab: crabEntriesSchema })

/** The counts by gamemode, with an entry for every gamemode of the service. */
export const byGamemodeSchema = z.record(gamemodeSchema, count)

/** Totals of the service. */
export const statsSchema = z.object({
  users: count,
  fish: z.object({
    total: count,
    byGamemode: byGamemodeSchema,
    byRarity,
  }),
  crab: z.object({ total: count, byGamemode: byGamemodeSchema }),
})

/** The query of the leaderboard. Without `gamemode`, the catches of all gamemodes count. */
export const leaderboardQuerySchema = z.object({
  type: z.enum(KINDS),
  gamemode: z.optional(gamemodeSchema),
  limit: z.optional(pageLimitSchema),
})

const leadersSchema = z.array(z.object({ name: z.string(), count }))

/** The players with the most catches, highest count first. */
export const leaderboardSchema = z.object({
  type: z.enum(KINDS),
  gamemode: z.optional(gamemodeSchema),
  leaderboard: leadersSchema,
})

/**
 * The query of the public leaderboard. Without `gamemode`, the catches of all gamemodes count. `by` is `catches` by
 * default, and `period` is `all`. With `name`, the response contains the place of this player.
 */
export const publicLeaderboardQuerySchema = z.object({
  kind: z.enum(KINDS),
  gamemode: z.optional(gamemodeSchema),
  by: z.optional(z.enum(LEADERBOARD_FIGURES)),
  period: z.optional(
    z.union([z.literal(ALL_TIME), z.string().check(z.regex(MONTH_PATTERN))], 'Must be all or a month such as 2026-11'),
  ),
  name: z.optional(z.string()),
  limit: z.optional(limitSchema(LIMITS.publicLeaders)),
})

/**
 * The public leaderboard: the players with the highest counts, highest first. Players with equal counts share a rank.
 * `you` is the player of the query, and is absent if this player has no catch on the leaderboard.
 */
export const publicLeaderboardSchema = z.object({
  leaderboard: leadersSchema,
  you: z.optional(z.object({ rank: count, count })),
})

/** The query of the known species. Without `gamemode`, the catches of all gamemodes count. */
export const speciesQuerySchema = z.object({ gamemode: z.optional(gamemodeSchema) })

/** The list of species that an operator publishes. A crab has no rarities. */
export const speciesListSchema = z
  .array(
    z
      .strictObject({
        name: catchNameSchema,
        kind: z.enum(KINDS),
        rarities: z.optional(z.array(rarityLabelSchema)),
        hint: z.optional(
          z.string().check(z.regex(/^\P{Cc}{1,200}$/u, 'Must be 1 to 200 characters with no control characters')),
        ),
      })
      .check(z.refine(({ kind, rarities }) => kind === 'fish' || !rarities, 'A crab has no rarities')),
  )
  .check(z.minLength(1), z.maxLength(LIMITS.knownSpecies))

/**
 * The known species, most players first, then most catches, then by name. `players` counts the visible players with a
 * catch. A species of the operator's list has `listed`, and may have a `hint`; without a catch, it has no
 * `firstCaughtAt`.
 */
export const knownSpeciesSchema = z.object({
  players: count,
  species: z.array(
    z.object({
      kind: z.enum(KINDS),
      name: z.string(),
      rarities: z.array(rarityLabelSchema),
      players: count,
      catches: count,
      firstCaughtAt: z.optional(dateTimeSchema),
      listed: z.optional(z.literal(true)),
      hint: z.optional(z.string()),
    }),
  ),
})

/** The body of a request to move a record: its new gamemode. */
export const moveSchema = z.object({ gamemode: gamemodeSchema })

/**
 * The query of a request to move a record: its current gamemode. Without `gamemode`, the service searches all
 * gamemodes.
 */
export const moveQuerySchema = z.object({ gamemode: z.optional(gamemodeSchema) })

/** The actor of a failed login with an unknown name. The log omits the name, because it may be a mistyped password. */
export const UNKNOWN_ACTOR = '(unknown name)'

/** The actions in the audit log. */
export const AUDIT_ACTIONS = [
  'login',
  'login.failed',
  'logout',
  'key.read',
  'user.create',
  'user.delete',
  'user.login-link',
  'user.login-link.redeem',
  'user.rename',
  'user.suspend',
  'user.unsuspend',
  'user.public',
  'user.private',
  'user.password',
  'user.reset.password',
  'user.reset.fernet',
  'user.reset.api-key',
  'fish.add',
  'fish.delete',
  'fish.move',
  'crab.add',
  'crab.delete',
  'crab.move',
  'invitation.create',
  'invitation.delete',
  'invitation.redeem',
  'export',
  'admin.create',
  'admin.delete',
  'admin.password',
  'admin.reset.password',
] as const

const auditNameSchema = z.string().check(z.maxLength(32))

/**
 * The query of the audit log. Names match in any letter case. `actor` is the account that acted. `user` is the account
 * that the entry is about: its subject, or its actor if it has no subject, as a login. A filtered page may have fewer
 * entries than `limit`, or none, although `nextCursor` follows.
 */
export const auditQuerySchema = z.object({
  ...pageFields,
  actor: z.optional(auditNameSchema),
  user: z.optional(auditNameSchema),
  action: z.optional(z.enum(AUDIT_ACTIONS)),
})

/**
 * One entry of the audit log: the time, the actor, the action, its subject, and the client's address. For a failed
 * login, the actor is the account with the given name, or {@link UNKNOWN_ACTOR}. For a change of catches, `gamemode` is
 * the gamemode of the catches before a move or a removal, or after an addition, and `catches` is the number of catches.
 * `catches` is absent until the change is complete. For a rename, `newName` is the new name. For a removal or a move, `record` is the id of the record, and for an invitation the id of the invitation. For a
 * removal, `species` has the names of the removed catches, each name once and at most ten names.
 *
 * Equal events of one client within five minutes are one entry: `count` is their number, and `lastAt` is the time of the
 * last one. Both are absent from the entry of a single event.
 */
export const auditEntrySchema = z.object({
  id: z.string(),
  at: dateTimeSchema,
  actor: z.string(),
  action: z.enum(AUDIT_ACTIONS),
  subject: z.optional(z.string()),
  newName: z.optional(z.string()),
  record: z.optional(z.string()),
  gamemode: z.optional(z.string()),
  movedTo: z.optional(z.string()),
  catches: z.optional(count),
  species: z.optional(z.array(z.string())),
  count: z.optional(count),
  lastAt: z.optional(dateTimeSchema),
  address: z.string(),
  requestId: z.string(),
})

/** One page of the audit log, newest first. */
export const auditPageSchema = z.object({ entries: z.array(auditEntrySchema), nextCursor })

/** A session of an administrator. */
export type Session = z.infer<typeof sessionSchema>
/** An administrator. */
export type Administrator = z.infer<typeof adminSchema>
/** The administrator of a session, with the facts of `/status`. */
export type OwnAccount = z.infer<typeof ownAccountSchema>
/** All administrators. */
export type AdministratorList = z.infer<typeof adminListSchema>
/** A user, without secrets. */
export type User = z.infer<typeof userSchema>
/** A user with catch totals, the latest catch, and the time of the last read of the Fernet key. */
export type UserDetails = z.infer<typeof userDetailsSchema>
/** One page of users. */
export type UserList = z.infer<typeof userListSchema>
/** A new user with its secrets. */
export type CreatedUser = z.infer<typeof createdUserSchema>
/** One line of the response to a request that creates users. */
export type UserLine = z.infer<typeof userLineSchema>
/** The name of a user after a change of the name. */
export type UserName = z.infer<typeof userNameResultSchema>
/** Whether a user is suspended and hidden. */
export type Suspension = z.infer<typeof suspensionResultSchema>
/** Whether everybody sees the collections of a player. */
export type AccountVisibility = z.infer<typeof accountResultSchema>
/** A login link. */
export type LoginLink = z.infer<typeof loginLinkSchema>
/** A new invitation with its link. */
export type CreatedInvitation = z.infer<typeof createdInvitationSchema>
/** All invitations. */
export type InvitationList = z.infer<typeof invitationListSchema>
/** The content of a login file. */
export type LoginFile = z.infer<typeof loginFileSchema>
/** The type of the secret to replace. */
export type ResetType = z.infer<typeof resetSchema>['type']
/** A new password. */
export type NewPassword = z.infer<typeof newPasswordSchema>
/** A new API key. */
export type NewApiKey = z.infer<typeof newApiKeySchema>
/** Totals of the service. */
export type Stats = z.infer<typeof statsSchema>
/** The players with the most catches. */
export type Leaderboard = z.infer<typeof leaderboardSchema>
/** The public leaderboard: the players with the most catches. */
export type PublicLeaderboard = z.infer<typeof publicLeaderboardSchema>
/** The list of species that an operator publishes. */
export type SpeciesList = z.infer<typeof speciesListSchema>
/** The known species, and how many players have each. */
export type KnownSpecies = z.infer<typeof knownSpeciesSchema>
/** The actions in the audit log. */
export type AuditAction = (typeof AUDIT_ACTIONS)[number]
/** One page of the audit log, newest first. */
export type AuditPage = z.infer<typeof auditPageSchema>
/** One line of the audit log. */
export type AuditEntry = z.infer<typeof auditEntrySchema>
