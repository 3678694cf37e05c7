import * as z from 'zod/mini'
import type { ErrorCode } from './error-codes.ts'
import { EVENT_STREAM, MEDIA_TYPES } from './headers.ts'
import type { RouteName } from './routes.ts'
import * as schemas from './schemas.ts'

/** How a request authenticates. */
export type Authentication = 'none' | 'basic' | 'admin' | 'superadmin'

/** Request and responses of a route. `errors` omits the error codes that every route can return. */
export interface Operation {
  /** One line for the API reference. */
  readonly summary: string
  /** Details that do not fit into the summary. @default none */
  readonly description?: string
  /** How a request authenticates. */
  readonly auth: Authentication
  /** The schema of the query. @default the query is ignored */
  readonly query?: z.ZodMiniObject
  /** The media type and the schema of the request body. @default no body */
  readonly body?: { readonly type: string; readonly schema?: z.ZodMiniType }
  /** The usual response. @default for `type`: JSON */
  readonly success: { readonly status: number; readonly schema?: z.ZodMiniType; readonly type?: string }
  /** Whether responses have an `ETag`, and 304 is possible. @default false */
  readonly revalidates?: boolean
  /** Further documented responses without the usual error body. `isReplay`: the request was handled before. */
  readonly also?: Readonly<Record<number, { readonly schema?: z.ZodMiniType; readonly isReplay?: boolean }>>
  /** The error codes of this route. */
  readonly errors: readonly ErrorCode[]
}

const moveGamemodeErrors = ['invalid_gamemode', 'gamemode_mismatch'] as const
const gamemodeErrors = ['missing_gamemode', ...moveGamemodeErrors] as const
const collectionErrors = ['missing_name', 'user_mismatch', 'user_not_found', ...gamemodeErrors] as const
const jsonErrors = ['invalid_payload', 'payload_too_large', 'unsupported_media_type'] as const
const ok = <Schema extends z.ZodMiniType>(schema: Schema) => ({ status: 200, schema }) as const
const created = <Schema extends z.ZodMiniType>(schema: Schema) => ({ status: 201, schema }) as const
const json = <Schema extends z.ZodMiniType>(schema: Schema) => ({ type: MEDIA_TYPES.json, schema }) as const
const gone = { status: 204 } as const

/** The media types of pages and pictures for people, which do not belong to the API. */
export const PAGE_TYPES = { html: 'text/html', png: 'image/png', svg: 'image/svg+xml' } as const
const page = { status: 200, type: PAGE_TYPES.html } as const

const read = (what: string, collection: z.ZodMiniType, summary: z.ZodMiniType): Operation => ({
  summary: `All ${what} of one user in one gamemode, oldest first, or their summary by species`,
  auth: 'none',
  query: schemas.readQuerySchema,
  success: ok(z.union([collection, summary])),
  revalidates: true,
  errors: [...collectionErrors, 'invalid_query', 'too_many_species', 'unavailable'],
})

const write = (what: string): Operation => ({
  summary: `Add ${what} from a Fernet token; a token is stored once`,
  auth: 'none',
  query: schemas.writeQuerySchema,
  body: { type: MEDIA_TYPES.token },
  success: created(schemas.savedSchema),
  also: { 200: { schema: schemas.savedSchema, isReplay: true } },
  errors: [...collectionErrors, ...jsonErrors, 'invalid_token', 'token_expired'],
})

const adminRead = (what: string, schema: z.ZodMiniType): Operation => ({
  summary: `All ${what} of a user in one gamemode, with ids and times`,
  auth: 'admin',
  query: schemas.collectionQuerySchema,
  success: ok(schema),
  revalidates: true,
  errors: ['user_not_found', ...gamemodeErrors],
})

const adminWrite = (what: string, schema: z.ZodMiniType): Operation => ({
  summary: `Add ${what} for a user in plain JSON`,
  auth: 'admin',
  query: schemas.collectionQuerySchema,
  body: json(schema),
  success: created(schemas.savedSchema),
  errors: [...jsonErrors, 'user_not_found', ...gamemodeErrors],
})

const adminRemove = (what: string): Operation => ({
  summary: `Delete one record of ${what}`,
  auth: 'admin',
  query: schemas.collectionQuerySchema,
  success: gone,
  errors: ['user_not_found', 'record_not_found', ...gamemodeErrors],
})

const adminMove = (what: string): Operation => ({
  summary: `Move one record of ${what} to another gamemode; its id and times stay`,
  description:
    'The body names the gamemode that it gets, the query the one that it has, which is looked for otherwise. A repeated move changes nothing and succeeds.',
  auth: 'admin',
  query: schemas.moveQuerySchema,
  body: json(schemas.moveSchema),
  success: gone,
  errors: [...jsonErrors, 'user_not_found', 'record_not_found', ...moveGamemodeErrors],
})

const loginErrors = ['invalid_credentials', 'forbidden', 'unavailable'] as const

const removeOwn = (what: string): Operation => ({
  summary: `Delete one record of one's own ${what}`,
  description: 'The token by which it was added stays used: sent again, it stores nothing.',
  auth: 'basic',
  query: schemas.collectionQuerySchema,
  success: gone,
  errors: [...loginErrors, 'record_not_found', ...gamemodeErrors],
})

const moveOwn = (what: string): Operation => ({
  summary: `Move one record of one's own ${what} to another gamemode; its id and times stay`,
  description:
    'The body names the gamemode that it gets, the query the one that it has, which is looked for otherwise. A repeated move changes nothing and succeeds.',
  auth: 'basic',
  query: schemas.moveQuerySchema,
  body: json(schemas.moveSchema),
  success: gone,
  errors: [...loginErrors, ...jsonErrors, 'record_not_found', ...moveGamemodeErrors],
})

/** Request and responses of every route. */
export const OPERATIONS: Readonly<Record<RouteName, Operation>> = {
  status: {
    summary: 'Whether the service runs and its storage responds',
    auth: 'none',
    success: ok(schemas.statusSchema),
    also: { 503: { schema: schemas.unavailableStatusSchema } },
    errors: [],
  },
  demoFish: {
    summary: 'Sample fish of every rarity',
    auth: 'none',
    success: ok(schemas.fishCollectionSchema),
    errors: [],
  },
  demoCrab: { summary: 'Sample crabs', auth: 'none', success: ok(schemas.crabCollectionSchema), errors: [] },
  getFish: read('fish', schemas.fishCollectionSchema, schemas.fishSummarySchema),
  getCrab: read('crabs', schemas.crabCollectionSchema, schemas.crabSummarySchema),
  events: {
    summary: 'Catches of one user in one gamemode as they are stored',
    description: [
      'Server-sent events. `catch`: a stored entry, as `detail=full` returns it, with its `kind`, and with an id to resume after.',
      '`ready`: where the stream begins. `removed`: the `id` and `kind` of a record that was removed. `deleted`: the user was deleted; the stream ends.',
      'With `Last-Event-ID`, the stream begins after that event, without it with catches that are stored later. Without `kind`, it has fish and crabs.',
      'With `follow=false`, it ends after the events that there are.',
    ].join(' '),
    auth: 'none',
    query: schemas.eventsQuerySchema,
    success: { status: 200, type: EVENT_STREAM.type },
    errors: [...collectionErrors, 'invalid_query', 'invalid_event_id', 'unavailable'],
  },
  getProfile: {
    summary: 'All catches of one user in figures: totals, rarest species, latest catches, days',
    auth: 'none',
    query: schemas.profileQuerySchema,
    success: ok(schemas.profileSchema),
    revalidates: true,
    errors: [
      ...(['missing_name', 'user_mismatch', 'user_not_found', 'invalid_query'] as const),
      ...(['too_many_species', 'too_many_days', 'unavailable'] as const),
    ],
  },
  postFish: write('fish'),
  postCrab: write('crabs'),
  getLeaderboard: {
    summary: 'Who has caught the most; only where the operator publishes it',
    auth: 'none',
    query: schemas.publicLeaderboardQuerySchema,
    success: ok(schemas.publicLeaderboardSchema),
    errors: ['invalid_query', 'unavailable'],
  },
  getUserKey: {
    summary: 'The Fernet key of a user',
    auth: 'basic',
    query: schemas.keyQuerySchema,
    success: ok(schemas.keySchema),
    errors: ['invalid_credentials', 'missing_name', 'user_mismatch', 'forbidden', 'user_not_found', 'unavailable'],
  },

  deleteOwnFish: removeOwn('fish'),
  deleteOwnCrab: removeOwn('crabs'),
  moveOwnFish: moveOwn('fish'),
  moveOwnCrab: moveOwn('crabs'),

  adminLogin: {
    summary: 'Log in as an administrator',
    auth: 'none',
    body: json(schemas.loginSchema),
    success: ok(schemas.sessionSchema),
    errors: [...jsonErrors, 'invalid_credentials', 'unavailable'],
  },
  adminLogout: { summary: 'End the session of this request', auth: 'admin', success: gone, errors: [] },
  adminMe: { summary: 'Who is logged in', auth: 'admin', success: ok(schemas.adminSchema), errors: [] },
  listUsers: {
    summary: 'Users by name',
    auth: 'admin',
    query: schemas.userListQuerySchema,
    success: ok(schemas.userListSchema),
    errors: ['invalid_query'],
  },
  createUser: {
    summary: 'Create a user; whose secrets are shown only once',
    auth: 'admin',
    body: json(schemas.newUserSchema),
    success: created(schemas.createdUserSchema),
    errors: [...jsonErrors, 'user_exists', 'unavailable'],
  },
  showUser: {
    summary: 'One user, with its catches and the last time its key was read',
    auth: 'admin',
    success: ok(schemas.userDetailsSchema),
    errors: ['user_not_found'],
  },
  deleteUser: {
    summary: 'Delete a user with all its data',
    auth: 'superadmin',
    success: gone,
    errors: ['user_not_found'],
  },
  resetUser: {
    summary: 'Replace a secret of a user; the new one is shown only once',
    auth: 'admin',
    body: json(schemas.resetSchema),
    success: ok(schemas.resetResultSchema),
    errors: [...jsonErrors, 'user_not_found', 'unavailable'],
  },
  listUserFish: adminRead('fish', schemas.fishCollectionSchema),
  listUserCrab: adminRead('crabs', schemas.crabCollectionSchema),
  addUserFish: adminWrite('fish', schemas.plainFishSchema),
  addUserCrab: adminWrite('crabs', schemas.plainCrabSchema),
  deleteUserFish: adminRemove('fish'),
  deleteUserCrab: adminRemove('crabs'),
  moveUserFish: adminMove('fish'),
  moveUserCrab: adminMove('crabs'),
  listAdmins: { summary: 'All administrators', auth: 'superadmin', success: ok(schemas.adminListSchema), errors: [] },
  createAdmin: {
    summary: 'Create an administrator',
    auth: 'superadmin',
    body: json(schemas.newAdminSchema),
    success: created(schemas.adminSchema),
    errors: [...jsonErrors, 'admin_exists', 'unavailable'],
  },
  deleteAdmin: {
    summary: 'Delete an administrator, but never the last superadmin',
    auth: 'superadmin',
    success: gone,
    errors: ['admin_not_found', 'last_superadmin'],
  },
  stats: { summary: 'Counts of users, fish and crabs', auth: 'admin', success: ok(schemas.statsSchema), errors: [] },
  leaderboard: {
    summary: 'Who has caught the most',
    auth: 'admin',
    query: schemas.leaderboardQuerySchema,
    success: ok(schemas.leaderboardSchema),
    errors: ['invalid_query'],
  },
  audit: {
    summary: 'Who did what, when, from where; newest first',
    auth: 'admin',
    query: schemas.auditQuerySchema,
    success: ok(schemas.auditPageSchema),
    errors: ['invalid_query'],
  },

  livez: { summary: 'Whether the process runs', auth: 'none', success: ok(schemas.probeSchema), errors: [] },
  readyz: {
    summary: 'Whether the service is ready for requests: not while its storage is unreachable or it is stopping',
    auth: 'none',
    success: ok(schemas.probeSchema),
    errors: ['unavailable'],
  },
  metrics: { summary: 'Prometheus metrics', auth: 'none', success: { status: 200, type: 'text/plain' }, errors: [] },
  openapi: {
    summary: 'This document',
    auth: 'none',
    success: { status: 200, type: MEDIA_TYPES.json },
    revalidates: true,
    errors: [],
  },
  docs: {
    summary: 'The API reference as a page',
    auth: 'none',
    success: page,
    errors: [],
  },
  homePage: { summary: 'A page to look up a player', auth: 'none', success: page, errors: [] },
  playerPage: {
    summary: 'The collection of a player as a page',
    auth: 'none',
    success: page,
    errors: [],
  },
  playerCard: {
    summary: 'The collection of a player as a picture, for previews of links',
    auth: 'none',
    success: { status: 200, type: PAGE_TYPES.png },
    revalidates: true,
    errors: ['user_not_found', 'too_many_species', 'too_many_days', 'unavailable'],
  },
  playerBadge: {
    summary: 'The totals of a player as a small picture, for signatures',
    auth: 'none',
    success: { status: 200, type: PAGE_TYPES.svg },
    revalidates: true,
    errors: ['user_not_found', 'too_many_species', 'too_many_days', 'unavailable'],
  },
  versusPage: { summary: 'Two collections side by side as a page', auth: 'none', success: page, errors: [] },
  leaderboardPage: { summary: 'The leaderboard as a page', auth: 'none', success: page, errors: [] },
  adminPage: { summary: 'A page for administrators, who log in there', auth: 'none', success: page, errors: [] },
  overlaySetupPage: { summary: 'A page to make the address of an overlay', auth: 'none', success: page, errors: [] },
  overlayPage: {
    summary: 'The catches of a player as an overlay for streams',
    auth: 'none',
    success: page,
    errors: [],
  },
}
