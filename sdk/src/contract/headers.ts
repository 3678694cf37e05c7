/** The service's own header names, and its media types. In lower case, as `Headers` yields them. */
export const HEADERS = {
  /** A personal or the master API key: lifts the rate limit. */
  apiKey: 'x-api-key',
  /** The gamemode of a write. */
  gamemode: 'x-gamemode',
  /** Identifies one request in responses and logs. */
  requestId: 'x-request-id',
  /** `true` on the response to a token that was stored before. */
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

/** The media type of events, and the header with the id of the last one that a client has (HTML standard, section 9.2). */
export const EVENT_STREAM = { type: 'text/event-stream', lastEventId: 'last-event-id' } as const
