import * as z from 'zod/mini'
import type { ErrorCode } from './error-codes.ts'
import { EVENT_STREAM, MEDIA_TYPES } from './headers.ts'
import { ACCOUNT_LIMITS, LIMITS } from './limits.ts'
import { DEMO_USER } from './names.ts'
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
  /** The response on success. @default for `type`: JSON */
  readonly success: { readonly status: number; readonly schema?: z.ZodMiniType; readonly type?: string }
  /** Whether responses have an `ETag`, so that a later request can get a 304. @default false */
  readonly revalidates?: boolean
  /**
   * Further responses by status, which do not have the standard error body. `isReplay` marks the response to a token
   * that was already stored.
   */
  readonly also?: Readonly<Record<number, { readonly schema?: z.ZodMiniType; readonly isReplay?: boolean }>>
  /** The error codes of this route. */
  readonly errors: readonly ErrorCode[]
}

const moveGamemodeErrors = ['invalid_gamemode', 'gamemode_mismatch'] as const
const gamemodeErrors = ['missing_gamemode', ...moveGamemodeErrors] as const
const userErrors = ['missing_name', 'user_mismatch', 'user_not_found'] as const
const collectionErrors = [...userErrors, ...gamemodeErrors] as const
const jsonErrors = ['invalid_payload', 'payload_too_large', 'unsupported_media_type'] as const
const ok = <Schema extends z.ZodMiniType>(schema: Schema) => ({ status: 200, schema }) as const
const created = <Schema extends z.ZodMiniType>(schema: Schema) => ({ status: 201, schema }) as const
const json = <Schema extends z.ZodMiniType>(schema: Schema) => ({ type: MEDIA_TYPES.json, schema }) as const
const noContent = { status: 204 } as const

/** The media types of HTML pages and pictures, which the OpenAPI document omits. */
export const PAGE_TYPES = { html: 'text/html', png: 'image/png', svg: 'image/svg+xml' } as const
const page = { status: 200, type: PAGE_TYPES.html } as const

const read = (what: string, collection: z.ZodMiniType, summary: z.ZodMiniType): Operation => ({
  summary: `List the ${what} of a user in a gamemode, oldest first, or count them by species`,
  description: [
    'Without `limit`, the response contains all entries. With `limit`, the response contains one page, and `nextCursor` if more entries follow. Pass `nextCursor` as `cursor` to read the next page.',
    '`detail=full` adds the id of the record and the time to each entry. `summary=species` counts the entries by species instead.',
  ].join(' '),
  auth: 'none',
  query: schemas.readQuerySchema,
  success: ok(z.union([collection, summary])),
  revalidates: true,
  errors: [...collectionErrors, 'invalid_query', 'too_many_species', 'unavailable'],
})

const write = (what: string): Operation => ({
  summary: `Add ${what} from a Fernet token. Each token is stored once`,
  description: `A request without \`Content-Type\` is accepted: its body has the type \`${MEDIA_TYPES.token}\`.`,
  auth: 'none',
  query: schemas.writeQuerySchema,
  body: { type: MEDIA_TYPES.token },
  success: created(schemas.savedSchema),
  also: { 200: { schema: schemas.savedSchema, isReplay: true } },
  errors: [...collectionErrors, ...jsonErrors, 'invalid_token', 'token_expired', 'user_suspended'],
})

const adminRead = (what: string, schema: z.ZodMiniType): Operation => ({
  summary: `List the ${what} of a user in a gamemode, with ids and times`,
  description: 'Each entry contains the id of its record, with which you can delete or move the record.',
  auth: 'admin',
  query: schemas.collectionQuerySchema,
  success: ok(schema),
  revalidates: true,
  errors: ['user_not_found', ...gamemodeErrors],
})

const adminWrite = (what: string, schema: z.ZodMiniType): Operation => ({
  summary: `Add ${what} for a user, as plain JSON`,
  description: `The body contains 1 to ${LIMITS.entriesPerWrite} entries, which become one record.`,
  auth: 'admin',
  query: schemas.collectionQuerySchema,
  body: json(schema),
  success: created(schemas.savedSchema),
  errors: [...jsonErrors, 'user_not_found', ...gamemodeErrors],
})

const TOKEN_STAYS_USED =
  'The service remembers the token of the record. If a client sends this token again, nothing is stored.'

const ONE_ENTRY =
  'With `entry`, only the entry with this index is removed, and the record keeps its id. A record without entries is removed.'

const adminRemove = (what: string): Operation => ({
  summary: `Delete one record of ${what}, or one of its entries`,
  description: `${TOKEN_STAYS_USED} ${ONE_ENTRY}`,
  auth: 'admin',
  query: schemas.removeQuerySchema,
  success: noContent,
  errors: ['user_not_found', 'record_not_found', 'entry_not_found', 'invalid_query', ...gamemodeErrors],
})

const adminMove = (what: string): Operation => ({
  summary: `Move one record of ${what} to another gamemode. The record keeps its id and times`,
  description:
    'The body contains the new gamemode, and the query may contain the current gamemode. A repeated move changes nothing and succeeds.',
  auth: 'admin',
  query: schemas.moveQuerySchema,
  body: json(schemas.moveSchema),
  success: noContent,
  errors: [...jsonErrors, 'user_not_found', 'record_not_found', ...moveGamemodeErrors],
})

const RENAMED = `The id, keys, catches and links stay. The old name refers to the same player for ${ACCOUNT_LIMITS.oldNameDays} days, and nobody else can take it.`

const loginErrors = ['invalid_credentials', 'forbidden', 'user_suspended', 'unavailable'] as const

const removeOwn = (what: string): Operation => ({
  summary: `Delete one record of your own ${what}, or one of its entries`,
  description: `${TOKEN_STAYS_USED} ${ONE_ENTRY}`,
  auth: 'basic',
  query: schemas.removeQuerySchema,
  success: noContent,
  errors: [...loginErrors, 'record_not_found', 'entry_not_found', 'invalid_query', ...gamemodeErrors],
})

const moveOwn = (what: string): Operation => ({
  summary: `Move one record of your own ${what} to another gamemode. The record keeps its id and times`,
  description:
    'The body contains the new gamemode, and the query may contain the current gamemode. A repeated move changes nothing and succeeds.',
  auth: 'basic',
  query: schemas.moveQuerySchema,
  body: json(schemas.moveSchema),
  success: noContent,
  errors: [...loginErrors, ...jsonErrors, 'record_not_found', ...moveGamemodeErrors],
})

const DEMO = `The collection belongs to the user \`${DEMO_USER}\`, and is the same in every service.`

/** Request and responses of every route. */
export const OPERATIONS: Readonly<Record<RouteName, Operation>> = {
  status: {
    summary: 'Check that the service runs and that its storage responds',
    description:
      'The response lists the gamemodes if they are not the default ones. If the storage does not respond, the status is 503, and the response also contains `error`, `code` and `requestId`.',
    auth: 'none',
    success: ok(schemas.statusSchema),
    also: { 503: { schema: schemas.unavailableStatusSchema } },
    errors: [],
  },
  demoFish: {
    summary: 'List sample fish of every rarity',
    description: DEMO,
    auth: 'none',
    success: ok(schemas.fishCollectionSchema),
    errors: [],
  },
  demoCrab: {
    summary: 'List sample crabs',
    description: DEMO,
    auth: 'none',
    success: ok(schemas.crabCollectionSchema),
    errors: [],
  },
  getFish: read('fish', schemas.fishCollectionSchema, schemas.fishSummarySchema),
  getCrab: read('crabs', schemas.crabCollectionSchema, schemas.crabSummarySchema),
  events: {
    summary: 'Stream the catches of a user as they are stored',
    description: [
      'The response consists of server-sent events. `catch` is a stored entry with its `kind` and `gamemode`, as `detail=full` returns entries. Each has an event id.',
      '`ready` is the first event. `removed` has the `id`, `kind` and `gamemode` of a removed record, and its `entry` if only one entry was removed. `deleted` means that the user was deleted, and ends the stream.',
      'With `Last-Event-ID`, the stream starts after that event. Otherwise, the stream starts with the next stored catch. Without `kind`, the stream has fish and crabs, and without `gamemode`, it has all gamemodes. Catches of one kind and gamemode are in order.',
      'With `follow=false`, the stream ends after the existing events.',
    ].join(' '),
    auth: 'none',
    query: schemas.eventsQuerySchema,
    success: { status: 200, type: EVENT_STREAM.type },
    errors: [
      ...userErrors,
      ...moveGamemodeErrors,
      'invalid_query',
      'invalid_event_id',
      'too_many_streams',
      'unavailable',
    ],
  },
  getProfile: {
    summary: 'Get the figures of a user: totals, rarest species, latest catches, days and streaks',
    description: [
      'The figures cover all gamemodes. `species=true` adds every species of each gamemode.',
      '`knownSpecies` is the number of species that `GET /get/species` lists, and how many of them the user has. It is absent while no species is known.',
    ].join(' '),
    auth: 'none',
    query: schemas.profileQuerySchema,
    success: ok(schemas.profileSchema),
    revalidates: true,
    errors: ['missing_name', 'user_mismatch', 'user_not_found', 'invalid_query', 'unavailable'],
  },
  getSpecies: {
    summary: 'List the species that players have caught, and how many players have each',
    description: [
      'A species is listed once several players have it (three, unless the operator sets another number), or the list is the list of the operator.',
      'Names that differ only in letter case, spaces or invisible characters are one species. Players who are hidden, private or suspended do not count.',
      'The list is at most about ten minutes old. It contains at most 2,000 species.',
    ].join(' '),
    auth: 'none',
    query: schemas.speciesQuerySchema,
    success: ok(schemas.knownSpeciesSchema),
    revalidates: true,
    errors: ['invalid_query', 'unavailable'],
  },
  postFish: write('fish'),
  postCrab: write('crabs'),
  getLeaderboard: {
    summary: 'List the players with the highest counts, if the operator publishes the leaderboard',
    description:
      'If the operator does not publish the leaderboard, the status is 404. The players are counted at most every ten minutes. Species are not counted by month, and crabs have no rarity.',
    auth: 'none',
    query: schemas.publicLeaderboardQuerySchema,
    success: ok(schemas.publicLeaderboardSchema),
    errors: ['invalid_query', 'unavailable'],
  },
  getUserKey: {
    summary: 'Get the Fernet key of a user',
    description:
      'Players log in with their own name and password. Administrators name the user with `name`. The audit log contains each read of a key.',
    auth: 'basic',
    query: schemas.keyQuerySchema,
    success: ok(schemas.keySchema),
    errors: [...loginErrors, 'missing_name', 'user_mismatch', 'user_not_found'],
  },

  deleteOwnFish: removeOwn('fish'),
  deleteOwnCrab: removeOwn('crabs'),
  moveOwnFish: moveOwn('fish'),
  moveOwnCrab: moveOwn('crabs'),
  changeOwnPassword: {
    summary: 'Replace your own password',
    description: 'Authenticate with the old password. The service rejects the old password from then on.',
    auth: 'basic',
    body: json(schemas.passwordChangeSchema),
    success: noContent,
    errors: [...loginErrors, ...jsonErrors],
  },
  renameOwn: {
    summary: 'Change your own name',
    description: RENAMED,
    auth: 'basic',
    body: json(schemas.renameSchema),
    success: ok(schemas.userNameResultSchema),
    errors: [...loginErrors, ...jsonErrors, 'user_exists', 'too_many_renames'],
  },
  updateOwn: {
    summary: 'Hide your own collections, or show them again',
    description:
      'A player who is not public is unknown to everybody else, except to administrators. Requests with the API key of the player, new catches and logins work as before.',
    auth: 'basic',
    body: json(schemas.accountChangeSchema),
    success: ok(schemas.accountResultSchema),
    errors: [...loginErrors, ...jsonErrors],
  },
  deleteOwn: {
    summary: 'Delete your own account and all your catches',
    description: 'The body contains the password again. A deleted account cannot be restored.',
    auth: 'basic',
    body: json(schemas.accountDeletionSchema),
    success: noContent,
    errors: [...loginErrors, ...jsonErrors],
  },
  redeemLoginLink: {
    summary: 'Redeem a login link or an invitation',
    description: `The response is the content of a login file. The password and the API key are new, and the Fernet key stays. An invitation creates the player \`name\`. A repetition with the same \`nonce\` within ${ACCOUNT_LIMITS.linkRepeatSeconds / 60} minutes gets the same response. Only failures count against a limit, the limit of failed logins.`,
    auth: 'none',
    body: json(schemas.redemptionSchema),
    success: ok(schemas.loginFileSchema),
    errors: [...jsonErrors, 'link_not_found', 'user_exists', 'public_url_missing', 'rate_limited', 'unavailable'],
  },

  adminLogin: {
    summary: 'Log in as an administrator',
    description:
      'The response contains the token of a session. Send the token as `Authorization: Bearer TOKEN` until `expiresAt`.',
    auth: 'none',
    body: json(schemas.loginSchema),
    success: ok(schemas.sessionSchema),
    errors: [...jsonErrors, 'invalid_credentials', 'unavailable'],
  },
  adminLogout: {
    summary: 'End the session of this request',
    description: 'After this request, the service rejects the token of the session.',
    auth: 'admin',
    success: noContent,
    errors: [],
  },
  adminMe: {
    summary:
      'Get the administrator of this session, and the version, time, gamemodes and public address of the service',
    description: 'Use this request to check whether a session is still valid.',
    auth: 'admin',
    success: ok(schemas.ownAccountSchema),
    errors: [],
  },
  changeAdminPassword: {
    summary: 'Replace your own password as an administrator',
    description: 'All sessions of the administrator end, also the session of this request.',
    auth: 'admin',
    body: json(schemas.adminPasswordChangeSchema),
    success: noContent,
    errors: [...jsonErrors, 'invalid_credentials', 'unavailable'],
  },
  listUsers: {
    summary: 'List users by name',
    description:
      '`search` selects the users whose names contain the text. `totals=true` adds the number of catches and the latest catch of each user.',
    auth: 'admin',
    query: schemas.userListQuerySchema,
    success: ok(schemas.userListSchema),
    errors: ['invalid_query'],
  },
  createUser: {
    summary: 'Create a user',
    description:
      'Without `password`, the service generates a password. No later response contains the secrets of the user.',
    auth: 'admin',
    body: json(schemas.newUserSchema),
    success: created(schemas.createdUserSchema),
    errors: [...jsonErrors, 'user_exists', 'unavailable'],
  },
  createUsers: {
    summary: 'Create several users',
    description: `The response has one line for each user, in order: the new user with all secrets, or the reason why the user was not created. If the client closes the connection, the service stops at the next user. A few users may then exist whose lines were not read. The body has at most ${ACCOUNT_LIMITS.usersBodyBytes / 1024} KiB.`,
    auth: 'admin',
    body: json(schemas.newUsersSchema),
    success: { status: 200, type: MEDIA_TYPES.ndjson, schema: schemas.userLineSchema },
    errors: jsonErrors,
  },
  showUser: {
    summary: 'Get a user, with the numbers of catches and the last time that the key was read',
    description: 'The letter case of the name makes no difference.',
    auth: 'admin',
    success: ok(schemas.userDetailsSchema),
    errors: ['user_not_found'],
  },
  deleteUser: {
    summary: 'Delete a user and all data of the user',
    description: 'A deleted user cannot be restored.',
    auth: 'superadmin',
    success: noContent,
    errors: ['user_not_found'],
  },
  resetUser: {
    summary: 'Replace a secret of a user',
    description: 'The service rejects the old secret from then on. No later response contains the new secret.',
    auth: 'admin',
    body: json(schemas.resetSchema),
    success: ok(schemas.resetResultSchema),
    errors: [...jsonErrors, 'user_not_found', 'unavailable'],
  },
  renameUser: {
    summary: 'Change the name of a user',
    description: RENAMED,
    auth: 'admin',
    body: json(schemas.renameSchema),
    success: ok(schemas.userNameResultSchema),
    errors: [...jsonErrors, 'user_not_found', 'user_exists'],
  },
  suspendUser: {
    summary: 'Suspend a user',
    description:
      'The user cannot log in or add catches. With `hide`, reads and pages also treat the user as unknown. A suspension keeps all data and ends the login link of the user.',
    auth: 'admin',
    body: json(schemas.suspensionSchema),
    success: ok(schemas.suspensionResultSchema),
    errors: [...jsonErrors, 'user_not_found'],
  },
  unsuspendUser: {
    summary: 'End the suspension of a user',
    description: 'The user can log in and add catches again, and is no longer hidden.',
    auth: 'admin',
    success: ok(schemas.suspensionResultSchema),
    errors: ['user_not_found'],
  },
  createLoginLink: {
    summary: 'Create a login link for a user',
    description:
      'The link works once, and replaces an earlier link of the user. A new password, a reset, a suspension or the deletion of the user ends it.',
    auth: 'admin',
    body: json(schemas.newLoginLinkSchema),
    success: ok(schemas.loginLinkSchema),
    errors: [...jsonErrors, 'user_not_found', 'user_suspended', 'public_url_missing'],
  },
  listUserFish: adminRead('fish', schemas.fishCollectionSchema),
  listUserCrab: adminRead('crabs', schemas.crabCollectionSchema),
  addUserFish: adminWrite('fish', schemas.plainFishSchema),
  addUserCrab: adminWrite('crabs', schemas.plainCrabSchema),
  deleteUserFish: adminRemove('fish'),
  deleteUserCrab: adminRemove('crabs'),
  moveUserFish: adminMove('fish'),
  moveUserCrab: adminMove('crabs'),
  listAdmins: {
    summary: 'List the administrators',
    description: 'Only superadmins may send this request.',
    auth: 'superadmin',
    success: ok(schemas.adminListSchema),
    errors: [],
  },
  createAdmin: {
    summary: 'Create an administrator',
    description: 'Without `role`, the new administrator has the role `admin`.',
    auth: 'superadmin',
    body: json(schemas.newAdminSchema),
    success: created(schemas.adminSchema),
    errors: [...jsonErrors, 'admin_exists', 'unavailable'],
  },
  resetAdmin: {
    summary: 'Replace the password of an administrator',
    description:
      'The response contains the new password, which no later response contains. All sessions of the administrator end.',
    auth: 'superadmin',
    success: ok(schemas.newPasswordSchema),
    errors: ['admin_not_found', 'unavailable'],
  },
  deleteAdmin: {
    summary: 'Delete an administrator',
    description: 'The last superadmin cannot be deleted.',
    auth: 'superadmin',
    success: noContent,
    errors: ['admin_not_found', 'last_superadmin'],
  },
  listInvitations: {
    summary: 'List the invitations and the players who joined with them',
    description: 'An ended or expired invitation stays in the list for 30 days.',
    auth: 'admin',
    success: ok(schemas.invitationListSchema),
    errors: [],
  },
  createInvitation: {
    summary: 'Create an invitation',
    description:
      'The invitation is a link with which players create their own accounts. No later response contains the link.',
    auth: 'admin',
    body: json(schemas.newInvitationSchema),
    success: created(schemas.createdInvitationSchema),
    errors: [...jsonErrors, 'public_url_missing', 'too_many_invitations'],
  },
  deleteInvitation: {
    summary: 'End an invitation',
    description: 'The players who joined with the invitation stay, and the list shows them for 30 days.',
    auth: 'admin',
    success: noContent,
    errors: ['invitation_not_found'],
  },
  exportCatches: {
    summary: 'Export the catches of all players',
    description:
      'Each line contains the player, gamemode, kind, name, rarity, time and record id of a catch, but no secret. In CSV, a text that a spreadsheet would run as a formula starts with an apostrophe.',
    auth: 'superadmin',
    query: schemas.exportQuerySchema,
    success: { status: 200, type: MEDIA_TYPES.csv },
    errors: ['invalid_query', 'unavailable'],
  },
  stats: {
    summary: 'Count users, fish and crabs',
    description: 'The response counts fish and crabs by gamemode, and fish by rarity.',
    auth: 'admin',
    success: ok(schemas.statsSchema),
    errors: [],
  },
  leaderboard: {
    summary: 'List the players with the most catches',
    description: 'Without `gamemode`, the catches of all gamemodes count.',
    auth: 'admin',
    query: schemas.leaderboardQuerySchema,
    success: ok(schemas.leaderboardSchema),
    errors: ['invalid_query'],
  },
  audit: {
    summary: 'List the entries of the audit log, newest first',
    description: 'Each entry contains the action, the actor, the time and the address of the client.',
    auth: 'admin',
    query: schemas.auditQuerySchema,
    success: ok(schemas.auditPageSchema),
    errors: ['invalid_query'],
  },

  livez: {
    summary: 'Check that the process runs',
    description: 'This check does not use the storage.',
    auth: 'none',
    success: ok(schemas.probeSchema),
    errors: [],
  },
  readyz: {
    summary: 'Check that the service is ready for requests',
    description: 'The status is 503 if the storage does not respond, or if the service is starting or stopping.',
    auth: 'none',
    success: ok(schemas.probeSchema),
    errors: ['unavailable'],
  },
  metrics: {
    summary: 'Get the metrics',
    description: 'The response has the text format of Prometheus.',
    auth: 'none',
    success: { status: 200, type: 'text/plain' },
    errors: [],
  },
  openapi: {
    summary: 'Get this document',
    description: 'The document contains the routes and the gamemodes of this service.',
    auth: 'none',
    success: { status: 200, type: MEDIA_TYPES.json },
    revalidates: true,
    errors: [],
  },
  docs: {
    summary: 'Show the API reference as a page',
    auth: 'none',
    success: page,
    errors: [],
  },
  homePage: { summary: 'Show the page to look up a player', auth: 'none', success: page, errors: [] },
  demoPage: { summary: 'Show a made-up collection as a page', auth: 'none', success: page, errors: [] },
  playerPage: {
    summary: 'Show the collection of a player as a page',
    auth: 'none',
    success: page,
    errors: [],
  },
  playerCard: {
    summary: 'Get a picture of the collection of a player, for previews of links',
    auth: 'none',
    success: { status: 200, type: PAGE_TYPES.png },
    revalidates: true,
    errors: ['user_not_found', 'unavailable'],
  },
  playerBadge: {
    summary: 'Get the totals of a player as a small picture, for signatures',
    auth: 'none',
    success: { status: 200, type: PAGE_TYPES.svg },
    revalidates: true,
    errors: ['user_not_found', 'unavailable'],
  },
  monthPage: {
    summary: 'Show what a player caught in a month, such as 2026-11, as a page',
    auth: 'none',
    success: page,
    errors: [],
  },
  monthCard: {
    summary: 'Get a picture of what a player caught in a month, for previews of links',
    auth: 'none',
    success: { status: 200, type: PAGE_TYPES.png },
    revalidates: true,
    errors: ['not_found', 'user_not_found', 'unavailable'],
  },
  speciesPage: {
    summary: 'Show the catches of a player of one species as a page',
    auth: 'none',
    success: page,
    errors: [],
  },
  speciesCard: {
    summary: 'Get a picture of the catches of a player of one species, for previews of links',
    auth: 'none',
    success: { status: 200, type: PAGE_TYPES.png },
    revalidates: true,
    errors: ['not_found', 'user_not_found', 'unavailable'],
  },
  versusPage: { summary: 'Show two collections side by side as a page', auth: 'none', success: page, errors: [] },
  versusCard: {
    summary: 'Get a picture of the score of two players, for previews of links',
    auth: 'none',
    success: { status: 200, type: PAGE_TYPES.png },
    revalidates: true,
    errors: ['not_found', 'user_not_found', 'unavailable'],
  },
  leaderboardPage: { summary: 'Show the leaderboard as a page', auth: 'none', success: page, errors: [] },
  adminPage: { summary: 'Show the page for administrators', auth: 'none', success: page, errors: [] },
  loginPage: { summary: 'Show the page that redeems a login link', auth: 'none', success: page, errors: [] },
  overlaySetupPage: {
    summary: 'Show the page that makes the address of an overlay',
    auth: 'none',
    success: page,
    errors: [],
  },
  overlayPage: {
    summary: 'Show the catches of a player as an overlay for streams',
    auth: 'none',
    success: page,
    errors: [],
  },
}
