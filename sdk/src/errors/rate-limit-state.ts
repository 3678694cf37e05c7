/** Where a client stands in the server's window. Answers that are not counted carry none. */
export interface RateLimitState {
  /** Requests allowed per window. */
  readonly limit: number
  /** Requests left in this window. */
  readonly remaining: number
  /** When the window ends, by the server's clock. */
  readonly resetAt: Date
}
