/** What differs between runtimes under the transport; chosen by package condition as `#dispatcher`. */
export interface Platform {
  /** Whether a `User-Agent` may be set: browsers forbid it. */
  readonly sendsUserAgent: boolean
  /** Called once a client; the result gives what to add to the options of a `fetch`. */
  createFetchExtras(): (fetch: typeof globalThis.fetch) => Promise<RequestInit>
}
