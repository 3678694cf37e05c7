import { isApiError, isConnectionError, isInvalidResponseError, isRateLimitError } from '@fish-crab/sdk'
import { duration } from '../output/wait-text.ts'
import { describeFailure, isUntrusted } from '../runtime/describe-failure.ts'

/**
 * Whether a failure may be over at the next look: the connection, the service itself, or its limit. Where nothing was
 * ever seen, something else that answers is no trouble of the service but a wrong address, and whom this machine does
 * not trust it will not trust later.
 */
export function mayPass(error: unknown, hasSeen: boolean): boolean {
  if (isConnectionError(error)) return hasSeen || !isUntrusted(error)
  if (isInvalidResponseError(error)) return hasSeen
  return isRateLimitError(error) || (isApiError(error) && error.status >= 500)
}

/** Trouble that was told, and is not over. */
export interface Trouble {
  /** When it began, milliseconds since 1970. */
  readonly since: number
  readonly message: string
  /** What a person can do about it, where looking again may not help. */
  readonly hint?: string | undefined
}

/** Trouble that goes on, or begins. @param hasSeen Then the address is right, and there is nothing to do but wait */
export function troubleOf(error: unknown, at: number, before: Trouble | undefined, hasSeen: boolean): Trouble {
  const { message, hint } = describeFailure(error)
  const toDo = isConnectionError(error) && !hasSeen && hint !== null ? { hint } : {}
  return { since: before?.since ?? at, message, ...toDo }
}

/** What is told when it begins. */
export function beginningText({ message, hint }: Trouble): string {
  return `fish-cli: ${message} Watching goes on.${hint === undefined ? '' : `\n  ${hint}`}`
}

/** What is told when it is over. */
export function overText({ since }: Trouble, at: number): string {
  return `fish-cli: The service answers again, after ${duration(at - since)}.`
}
