import type { RateLimitState } from '../../errors/fish-crab-error.ts'

/** A request as reported to hooks and logs. The event has no query, headers or body, so it contains no secrets. */
export interface RequestEvent {
  /** HTTP method, in capitals. */
  readonly method: string
  /** The path, without the query. */
  readonly path: string
  /** Number of the attempt within its call, from 1. */
  readonly attempt: number
}

/** The response to a request. */
export interface ResponseEvent extends RequestEvent {
  /** HTTP status. */
  readonly status: number
  /** Milliseconds from sending the request to the end of the response. */
  readonly durationMs: number
  /** Identifies the request in the server's log. `undefined` if the response has no `x-request-id`. */
  readonly requestId: string | undefined
  /** The rate-limit window of the client. `undefined` if the request was not counted, as with an API key. */
  readonly rateLimit: RateLimitState | undefined
}

/** A request without a complete response. */
export interface FailureEvent extends RequestEvent {
  /** The `code` of the error. */
  readonly code: string
}

/** A failed attempt that will be retried. */
export interface RetryEvent extends RequestEvent {
  /** HTTP status; `undefined` if there was no response. */
  readonly status: number | undefined
  /** The `code` of the error. */
  readonly code: string
  /** Milliseconds until the next attempt. */
  readonly waitMs: number
}

/** A call that waits for the rate limit. */
export interface WaitEvent {
  /** HTTP method, in capitals. */
  readonly method: string
  /** The path, without the query. */
  readonly path: string
  /** Expected wait in milliseconds. */
  readonly waitMs: number
  /** Expected end of the wait, by this machine's clock. */
  readonly resumesAt: Date
}

/**
 * Functions that the client invokes as a call proceeds, for example to display or count the steps of the call. Errors
 * that a hook throws are ignored, so a hook cannot fail a call.
 */
export interface Hooks {
  /** Called before a request is sent. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined
  /** Called after a response of any status. */
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined
  /** Called after a request without a complete response, such as after a timeout. */
  readonly onFailure?: ((event: FailureEvent) => void) | undefined
  /** Called before the wait for a retry. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined
  /**
   * Called when a call has to wait for the rate limit, and again when the end of the wait changes. Without this hook,
   * the client warns once, at the first wait of more than 5 s.
   *
   * @example
   * createClient({ onWait: ({ resumesAt }) => showStatus(`next catch at ${resumesAt.toLocaleTimeString()}`) })
   */
  readonly onWait?: ((event: WaitEvent) => void) | undefined
}

/**
 * A log, such as `console`. Each message is the name of an event, such as `request`, and comes with the fields of the
 * event and no other data.
 */
export interface Logger {
  /** Requests, responses and failures. */
  debug(message: string, fields: object): void
  /** Waits for the rate limit. */
  info(message: string, fields: object): void
  /** Retries. */
  warn(message: string, fields: object): void
}

/** Receives every event; never throws. */
export type EventSink = { readonly [Name in keyof Hooks]-?: NonNullable<Hooks[Name]> }

/** Calls a listener and ignores its errors: an error in a listener must not lose a catch or end the process. */
export function notify<Event>(listener: ((event: Event) => void) | undefined, event: Event): void {
  try {
    const done: unknown = listener?.(event)
    if (done instanceof Promise) done.catch(() => {})
  } catch {}
}

/** The level at which each event is logged. */
export const HOOK_LEVELS: Readonly<Record<keyof Hooks, keyof Logger>> = {
  onRequest: 'debug',
  onResponse: 'debug',
  onFailure: 'debug',
  onRetry: 'warn',
  onWait: 'info',
}

export function createEventSink(hooks: Hooks, logger: Logger | undefined): EventSink {
  const sinks = Object.entries(HOOK_LEVELS).map(([name, level]) => {
    const message = name.slice(2).toLowerCase()
    const sink = (event: never) => {
      notify(hooks[name as keyof Hooks] as ((event: never) => void) | undefined, event)
      notify(() => logger?.[level](message, event), event)
    }
    return [name, sink]
  })
  return Object.fromEntries(sinks)
}
