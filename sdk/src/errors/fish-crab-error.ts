/** What an error of this package is made from. */
export interface FishCrabErrorFields {
  /** Stable name of the case. */
  readonly code: string
  /** The next step to take, a sentence. It ends the message too. */
  readonly hint?: string | undefined
  /** Where the client stood in the server's window, as far as it is known. */
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
  Object.defineProperty(type, 'name', { value: name, configurable: true })
  Object.defineProperty(type.prototype, 'name', { value: name, configurable: true, writable: true })
  Object.defineProperty(type.prototype, symbol, { value: true })
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: object, error: unknown): boolean {
      // A subclass without a brand of its own inherits this function.
      if (this !== type) return Function.prototype[Symbol.hasInstance].call(this as () => void, error)
      return typeof error === 'object' && error !== null && symbol in error
    },
  })
}

/**
 * Every error this package throws on purpose. Its message says what happened and what to do; no message, field or
 * stack holds a key, a token or a password.
 */
export class FishCrabError extends Error {
  static {
    brand(FishCrabError, 'FishCrabError')
  }
  /** Stable name of the case: the server's own `code`, or one that the class documents. */
  readonly code: string
  /** What happened, without the hint. */
  readonly summary: string
  /** The next step to take. */
  readonly hint: string | undefined
  /** Where the client stood in the server's window when it failed, as far as it is known. */
  readonly rateLimit: RateLimitState | undefined

  constructor(summary: string, { code, hint, rateLimit, cause }: FishCrabErrorFields) {
    super(hint === undefined ? summary : `${summary} ${hint}`, cause === undefined ? undefined : { cause })
    this.code = code
    this.summary = summary
    this.hint = hint
    this.rateLimit = rateLimit
  }

  /** What `JSON.stringify` shows. The cause is left out: it comes from elsewhere and may hold anything. */
  toJSON(): Record<string, unknown> {
    const { cause: _, ...fields } = { ...this } as Record<string, unknown>
    return { ...fields, name: this.name, message: this.message }
  }
}

/** Where a client stands in the server's window. Answers that are not counted carry none. */
export interface RateLimitState {
  /** Requests allowed per window. */
  readonly limit: number
  /** Requests left in this window. */
  readonly remaining: number
  /** When the window ends, by the server's clock. */
  readonly resetAt: Date
}

/** One thing that is wrong, and where: `fish.0.rarity`, `gamemode`, … */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** Options or arguments are wrong; nothing was sent. `issues` names each mistake. `code` is `invalid_input`. */
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
