/** The fields of a {@link FishCrabError}. */
export interface FishCrabErrorFields {
  /** Stable name of the problem. */
  readonly code: string
  /** The next step, as a sentence. The message ends with the hint. */
  readonly hint?: string | undefined
  /** The rate-limit window of the client, if it is known. */
  readonly rateLimit?: RateLimitState | undefined
  /** Whether the call may have changed data. @default false */
  readonly mayHaveChanged?: boolean | undefined
  /** The error that caused this error. `toJSON` omits the cause. */
  readonly cause?: unknown
}

/**
 * Base class of every error that this package throws on purpose. The message states the problem and the next step. No
 * message, field or stack contains a key, a token or a password.
 *
 * @example
 * try {
 *   await client.fish.add({ name: 'Salmon', rarity: 'Gold' })
 * } catch (error) {
 *   if (!(error instanceof FishCrabError)) throw error
 *   showStatus(`${error.code}: ${error.message}`)
 * }
 */
export class FishCrabError extends Error {
  // The name is explicit, because bundlers rename classes. The name is a getter, because the CommonJS build would
  // assign a field to a read-only property.
  static override get name(): string {
    return 'FishCrabError'
  }
  /** Stable name of the problem: the server's `code`, or a code that the class documents. */
  readonly code: string
  /** The problem: the message without the hint. */
  readonly summary: string
  /** The next step, as a sentence. */
  readonly hint: string | undefined
  /** The rate-limit window of the client when the error occurred, if it is known. */
  readonly rateLimit: RateLimitState | undefined
  /**
   * Whether the call may have changed data: an attempt of a write got no response, or a response that is not a rejection
   * by this service. A page of a proxy does not count as a rejection.
   */
  readonly mayHaveChanged: boolean

  constructor(summary: string, { code, hint, rateLimit, mayHaveChanged = false, cause }: FishCrabErrorFields) {
    super(hint === undefined ? summary : `${summary} ${hint}`, cause === undefined ? undefined : { cause })
    this.code = code
    this.summary = summary
    this.hint = hint
    this.rateLimit = rateLimit
    this.mayHaveChanged = mayHaveChanged
  }

  /**
   * Compares class names, so that `instanceof` also recognises errors from another copy of this package, such as its
   * CommonJS build.
   */
  static override [Symbol.hasInstance](error: unknown): boolean {
    const names: unknown[] = []
    for (let type = Object(error).constructor; type; type = Object.getPrototypeOf(type)) names.push(type.name)
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class on the right of `instanceof`.
    return names.includes('FishCrabError') && names.includes(this.name)
  }

  override get name(): string {
    return this.constructor.name
  }

  /** Returns the fields for `JSON.stringify`, without `cause`, because an error from other code may contain secrets. */
  toJSON(): Record<string, unknown> {
    const { cause: _, ...fields } = { ...this } as Record<string, unknown>
    return { ...fields, name: this.name, message: this.message }
  }
}

/** The rate-limit window of a client. Responses without rate-limit headers have no window. */
export interface RateLimitState {
  /** Requests allowed per window. */
  readonly limit: number
  /** Requests left in this window. */
  readonly remaining: number
  /** When the window ends, by the server's clock. */
  readonly resetAt: Date
}

/** One mistake in the input. */
export interface Issue {
  /** The path of the invalid value, such as `fish.0.rarity` or `gamemode`. */
  readonly path: string
  /** The problem, as a sentence. */
  readonly message: string
}

/** Options or arguments are invalid; nothing was sent. `issues` lists every mistake. `code` is `invalid_input`. */
export class ValidationError extends FishCrabError {
  static override get name(): string {
    return 'ValidationError'
  }
  /** Every mistake, each with its path. */
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[]) {
    super(issues.map(({ path, message }) => `${path}: ${message}`).join(' '), { code: 'invalid_input' })
    this.issues = issues
  }
}

/** @throws ValidationError if there are issues */
export function throwIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new ValidationError(issues)
}

/** The `code` of a {@link FernetError}. */
export type FernetErrorCode = 'invalid_key' | 'invalid_token' | 'token_expired'

// Every entry exports this class. In a file of its own, the class would become a chunk that pages without encryption
// also load.
/**
 * A key or token is unusable. The error contains no bytes of the key or token.
 *
 * - `invalid_key`: a key is not 32 bytes of base64, or the list is empty.
 * - `invalid_token`: the token is malformed, changed, or encrypted with an unknown key. The error never reveals the
 *   reason, to prevent padding-oracle attacks.
 * - `token_expired`: the token is authentic, but older than the TTL or more than 60 s ahead of the clock.
 */
export class FernetError extends FishCrabError {
  static override get name(): string {
    return 'FernetError'
  }
  declare readonly code: FernetErrorCode
}
