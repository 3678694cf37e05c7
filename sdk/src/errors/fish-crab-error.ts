/** The fields of a {@link FishCrabError}. */
export interface FishCrabErrorFields {
  /** Stable name of the case. */
  readonly code: string
  /** What to do next, a sentence. It ends the message too. */
  readonly hint?: string | undefined
  /** The rate-limit window of the client, if it is known. */
  readonly rateLimit?: RateLimitState | undefined
  readonly cause?: unknown
}

/**
 * Gives a class its name and its brand. `instanceof` goes by the brand, which stands on the prototype: it recognises
 * errors of another copy of this package too, such as its CommonJS twin, and those of subclasses.
 */
export function brand(type: { prototype: object }, name: string): void {
  const symbol = Symbol.for(`@fish-crab/sdk/${name}`)
  // Bundlers rename classes; stacks and inspectors show the name of the class itself.
  Object.defineProperties(type, {
    name: { value: name },
    [Symbol.hasInstance]: {
      // A subclass without a brand of its own inherits this function.
      value(this: typeof type, error: unknown): boolean {
        return this === type
          ? symbol in Object(error)
          : Object.prototype.isPrototypeOf.call(this.prototype, error as object)
      },
    },
  })
  Object.defineProperties(type.prototype, {
    name: { value: name, writable: true, configurable: true },
    [symbol]: { value: true },
  })
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
  static {
    brand(FishCrabError, 'FishCrabError')
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
  /** What is wrong, a sentence. */
  readonly message: string
}

/** Options or arguments are invalid; nothing was sent. `issues` lists every mistake. `code` is `invalid_input`. */
export class ValidationError extends FishCrabError {
  static {
    brand(ValidationError, 'ValidationError')
  }
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[]) {
    super(issues.map(({ path, message }) => `${path}: ${message}`).join(' '), { code: 'invalid_input' })
    this.issues = issues
  }
}
