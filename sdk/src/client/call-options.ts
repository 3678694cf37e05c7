/** What every call may be told. What is left out is as the client says. */
export interface CallOptions {
  /** Ends the call, its waits included; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds one try may take. @default the client's `timeoutMs` */
  readonly timeoutMs?: number | undefined
  /** Milliseconds the whole call may take, its waits and further tries included. @default the client's `deadlineMs` */
  readonly deadlineMs?: number | undefined
  /**
   * Milliseconds the call may wait for the rate limit and between its tries; a longer wait is not begun, and fails with
   * RateLimitError. @default the client's `maxWaitMs`
   */
  readonly maxWaitMs?: number | undefined
  /** Further tries after lost answers, 408, 425 and 5xx. @default the client's `maxRetries` */
  readonly maxRetries?: number | undefined
  /** Whether to hold back before the server would refuse. @default the client's `pace` */
  readonly pace?: boolean | undefined
}
