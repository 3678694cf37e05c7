import type { RateLimitState } from '../../errors/fish-crab-error.ts'

/** One request, as hooks and logs see it: without query, headers and body, so without secrets. */
export interface RequestEvent {
  readonly method: string
  /** The path, without the query. */
  readonly path: string
  /** Which try of the call this is, from 1. */
  readonly attempt: number
}

/** The answer to a request. */
export interface ResponseEvent extends RequestEvent {
  /** HTTP status. */
  readonly status: number
  /** Milliseconds from sending to the end of the answer. */
  readonly durationMs: number
  readonly requestId: string | undefined
  readonly rateLimit: RateLimitState | undefined
}

/** A try that failed and will be made again. */
export interface RetryEvent extends RequestEvent {
  /** HTTP status; `undefined` when no answer came. */
  readonly status: number | undefined
  /** The `code` of the failure. */
  readonly code: string
  /** Milliseconds until the next try. */
  readonly waitMs: number
}

/** A call that waits for the rate limit. */
export interface WaitEvent {
  readonly method: string
  /** The path, without the query. */
  readonly path: string
  /** Milliseconds it will wait, about. */
  readonly waitMs: number
  /** When it goes on, by this machine's clock. */
  readonly resumesAt: Date
}

/** Called as things happen, to show or count them. What a hook throws, or rejects with, is dropped: it
 * cannot fail a call. */
export interface Hooks {
  /** Before a request is sent. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined
  /** After an answer came, whatever its status. */
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined
  /** Before the wait that follows a failed try. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined
  /**
   * When a call has to wait for the rate limit, and again when the end of its wait moves.
   *
   * @example
   * createClient({ onWait: ({ resumesAt }) => showStatus(`next catch at ${resumesAt.toLocaleTimeString()}`) })
   */
  readonly onWait?: ((event: WaitEvent) => void) | undefined
}

/** Where to log to; `console` is one. Only the fields of the events above are ever passed. */
export interface Logger {
  debug(message: string, fields: object): void
  info(message: string, fields: object): void
  warn(message: string, fields: object): void
}

/** Hooks that are called, and logged, whatever they do. */
export type EventSink = { readonly [Name in keyof Hooks]-?: NonNullable<Hooks[Name]> }

/** Puts hooks and a logger together. */
export function createEventSink(hooks: Hooks, logger: Logger | undefined): EventSink {
  const tell =
    <Event extends object>(hook: ((event: Event) => void) | undefined, log: (event: Event) => void) =>
    (event: Event) => {
      for (const each of [hook, logger && log]) {
        // Whoever looks on must not be able to lose a catch, nor to end the process.
        try {
          const done: unknown = each?.(event)
          if (done instanceof Promise) done.catch(() => {})
        } catch {}
      }
    }
  return {
    onRequest: tell(hooks.onRequest, (event) => logger?.debug('request', event)),
    onResponse: tell(hooks.onResponse, (event) => logger?.debug('response', event)),
    onRetry: tell(hooks.onRetry, (event) => logger?.warn('failed, trying again', event)),
    onWait: tell(hooks.onWait, (event) => logger?.info('waiting for the rate limit', event)),
  }
}
