import type { RateLimitState } from './rate-limit-state.ts'

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
 * Gives a class its name and its brand. Brands live on prototypes, so that a guard knows the errors of another copy of
 * this package, subclasses included, where `instanceof` says no.
 */
export function brand(type: { prototype: object }, name: string): void {
  // Bundlers rename classes; stacks and inspectors show the name of the class itself.
  Object.defineProperty(type, 'name', { value: name, configurable: true })
  Object.defineProperty(type.prototype, 'name', { value: name, configurable: true, writable: true })
  Object.defineProperty(type.prototype, brandOf(name), { value: true })
}

/** Whether a value carries the brand of a class, or of one under it. */
export function isBranded(error: unknown, name: string): boolean {
  return typeof error === 'object' && error !== null && brandOf(name) in error
}

function brandOf(name: string): symbol {
  return Symbol.for(`@fish-crab/sdk/${name}`)
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
