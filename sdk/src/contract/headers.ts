/** Every header name of the service's own, and the media types it speaks. Lower case, as `Headers` yields them. */
export const HEADERS = {
  /** A personal or the master API key: lifts the rate limit. */
  apiKey: 'x-api-key',
  /** The gamemode of a write. */
  gamemode: 'x-gamemode',
  /** Identifies one request in answers and logs. */
  requestId: 'x-request-id',
  /** `true` on the answer to a token that was stored before. */
  replayed: 'idempotent-replayed',
  /** Requests allowed per window. */
  rateLimit: 'x-ratelimit-limit',
  /** Requests left in the current window. */
  rateRemaining: 'x-ratelimit-remaining',
  /** When the window ends, in unix seconds. */
  rateReset: 'x-ratelimit-reset',
  /** Seconds to wait before the next try. */
  retryAfter: 'retry-after',
} as const

/** Media types of request and response bodies. */
export const MEDIA_TYPES = {
  json: 'application/json',
  token: 'application/octet-stream',
} as const
