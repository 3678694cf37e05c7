/** The names of headers that the service uses, in lower case. */
export const HEADERS = {
  /** A personal API key or the master API key, which lifts the rate limit. */
  apiKey: 'x-api-key',
  /** The gamemode of a write. */
  gamemode: 'x-gamemode',
  /** Identifies one request in responses and logs. */
  requestId: 'x-request-id',
  /** `true` in the response to a token that was already stored. */
  replayed: 'idempotent-replayed',
  /** Requests allowed per window. */
  rateLimit: 'x-ratelimit-limit',
  /** Requests that remain in the current window. */
  rateRemaining: 'x-ratelimit-remaining',
  /** End of the window, in Unix seconds. */
  rateReset: 'x-ratelimit-reset',
  /** Seconds to wait before the next attempt. */
  retryAfter: 'retry-after',
} as const

/** Media types of request and response bodies. */
export const MEDIA_TYPES = {
  json: 'application/json',
  token: 'application/octet-stream',
  /** One JSON object per line. */
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
} as const

/**
 * The media type of event streams, and the request header with the id of the last event that a client received (HTML
 * standard, section 9.2).
 */
export const EVENT_STREAM = { type: 'text/event-stream', lastEventId: 'last-event-id' } as const
