/** The fields of a {@link FishCrabError}. */
export interface FishCrabErrorFields {
  /** Stable name of the case. */
  readonly code: string
  /** What to do next, as a sentence. The message ends with it. */
  readonly hint?: string | undefined
  /** The rate-limit window of the client, if it is known. */
  readonly rateLimit?: RateLimitState | undefined
  /** The error that caused this one. It is not part of `toJSON`. */
  readonly cause?: unknown
}

/**
 * Base class of every error that this package throws on purpose. The message says what is wrong and what to do. No
 * message, field or stack holds a key, a token or a password.
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
  // Explicit, since bundlers rename classes. No field: the CommonJS build would assign it to a read-only property.
  static override get name(): string {
    return 'FishCrabError'
  }
  /** Stable name of the case: the server's own `code`, or one that the class documents. */
  readonly code: string
  /** What is wrong: the message without the hint. */
  readonly summary: string
  /** What to do next. */
  readonly hint: string | undefined
  /** The rate-limit window of the client at that time, if it is known. */
  readonly rateLimit: RateLimitState | undefined

  constructor(summary: string, { code, hint, rateLimit, cause }: FishCrabErrorFields) {
    super(hint === undefined ? summary : `${summary} ${hint}`, cause === undefined ? undefined : { cause })
    this.code = code
    this.summary = summary
    this.hint = hint
    this.rateLimit = rateLimit
  }

  /**
   * Compares class names, so that it also recognises errors from another copy of this package, such as its CommonJS
   * build.
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

  /** The fields for `JSON.stringify`, without the cause: it comes from elsewhere and may hold secrets. */
  toJSON(): Record<string, unknown> {
    const { cause: _, ...fields } = { ...this } as Record<string, unknown>
    return { ...fields, name: this.name, message: this.message }
  }
}

/** The rate-limit window of a client. Responses that are not counted have none. */
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
  /** Where it is, such as `fish.0.rarity` or `gamemode`. */
  readonly path: string
  /** What is wrong, as a sentence. */
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

/** @throws ValidationError unless there are none */
export function throwIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new ValidationError(issues)
}
