/** The limits of the service for players. Configurable limits have their default here. */
export const LIMITS = {
  /** Largest request body, in bytes. */
  bodyBytes: 256 * 1024,
  /** Maximum number of fish or crabs in one write. */
  entriesPerWrite: 500,
  /** Largest `limit` of a paged read. */
  pageSize: 1000,
  /** Largest `limit` of the public leaderboard. */
  publicLeaders: 100,
  /** Maximum number of known species, also in the list of an operator. */
  knownSpecies: 2000,
  /** Requests per client and window on the public endpoints. */
  requests: 25,
  /** Length of the window of the public endpoints, in seconds. */
  windowSeconds: 300,
} as const

/**
 * Maximum numbers of open event streams. This constant is separate so that pages without event streams do not load it.
 */
export const STREAM_LIMITS = {
  /** Maximum number of open streams per process. */
  total: 2000,
  /** Maximum number of open streams per client and process. */
  perClient: 10,
} as const

/**
 * The limits for logins, passwords and the admin endpoints. This constant is separate from {@link LIMITS} so that
 * player pages do not load it.
 */
export const ACCOUNT_LIMITS = {
  /** Default `limit` of lists on the admin endpoints. */
  defaultPageSize: 100,
  /** Requests per administrator and window on the admin endpoints. */
  adminRequests: 300,
  /** Length of the admin window, in seconds. */
  adminWindowSeconds: 300,
  /** Failed logins per client, name and window. */
  failedLogins: 10,
  /** Failed logins per client and window, for all names together. */
  failedLoginsPerClient: 100,
  /** Length of the window for failed logins, in seconds. */
  failedLoginWindowSeconds: 300,
  /** Lifetime of an administrator's JWT, in seconds. */
  sessionSeconds: 3600,
  /** Longest password, in characters. */
  passwordLength: 256,
  /** Shortest password, in characters. */
  minPasswordLength: 8,
  /** Maximum number of users that one request creates. */
  usersPerRequest: 500,
  /** Largest body of a request that creates several users, in bytes. */
  usersBodyBytes: 1024 * 1024,
  /** Default lifetime of a login link or an invitation, in hours. */
  linkHours: 72,
  /** Longest lifetime of a login link or an invitation, in hours. */
  maxLinkHours: 720,
  /** How long a repeated redemption of a login link gets the same response, in seconds. */
  linkRepeatSeconds: 600,
  /** Maximum number of players that one invitation creates. */
  invitationUses: 500,
  /** How long the old name of a renamed player refers to the player, in days. */
  oldNameDays: 90,
  /** Maximum number of old names of a player who chooses another name. */
  oldNames: 5,
} as const
