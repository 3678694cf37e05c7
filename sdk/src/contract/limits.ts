/** The fixed limits of the service for players, and the defaults of configurable ones. Names contain the unit. */
export const LIMITS = {
  /** Largest request body, in bytes. */
  bodyBytes: 256 * 1024,
  /** Most fish or crabs in one write. */
  entriesPerWrite: 500,
  /** Largest `limit` of a paged read. */
  pageSize: 1000,
  /** Largest `limit` of the public leaderboard. */
  publicLeaders: 100,
  /** Requests per client and window on the public endpoints. */
  requests: 25,
  /** Length of that window, in seconds. */
  windowSeconds: 300,
} as const

/** Most open event streams. They are a separate constant, so that pages that only read do not load them. */
export const STREAM_LIMITS = {
  /** Streams of one process. */
  total: 2000,
  /** Streams of one client and process. */
  perClient: 10,
} as const

/** {@link LIMITS} for logins, passwords and the admin endpoints. They are a separate constant, so that pages of players do not load them. */
export const ACCOUNT_LIMITS = {
  /** Default `limit` of administrators' listings. */
  defaultPageSize: 100,
  /** Requests per administrator and window on the admin endpoints. */
  adminRequests: 300,
  /** Length of the admin window, in seconds. */
  adminWindowSeconds: 300,
  /** Failed logins per client, name and window. */
  failedLogins: 10,
  /** Failed logins per client and window, for all names together. */
  failedLoginsPerClient: 100,
  /** Length of that window, in seconds. */
  failedLoginWindowSeconds: 300,
  /** Lifetime of an administrator's JWT, in seconds. */
  sessionSeconds: 3600,
  /** Longest password, in characters. */
  passwordLength: 256,
  /** Shortest password, in characters. */
  minPasswordLength: 8,
} as const
