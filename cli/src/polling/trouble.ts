import { isApiError, isConnectionError, isInvalidResponseError, isRateLimitError } from '@fish-crab/sdk'
import { describeFailure } from '../failures/describe-failure.ts'
import { duration } from '../waiting/wait-text.ts'

/** Whether a failure may be over at the next look: the connection, the service itself, or its limit. */
export function mayPass(error: unknown): boolean {
  if (isConnectionError(error) || isInvalidResponseError(error) || isRateLimitError(error)) return true
  return isApiError(error) && error.status >= 500
}

/** Trouble that was told, and is not over. */
export interface Trouble {
  /** When it began, milliseconds since 1970. */
  readonly since: number
  readonly message: string
}

/** Trouble that goes on, or begins. */
export function troubleOf(error: unknown, at: number, before: Trouble | undefined): Trouble {
  return { since: before?.since ?? at, message: describeFailure(error).message }
}

/** What is told when it begins. */
export function beginningText({ message }: Trouble): string {
  return `fish-cli: ${message} Watching goes on.`
}

/** What is told when it is over. */
export function overText({ since }: Trouble, at: number): string {
  return `fish-cli: The service answers again, after ${duration(at - since)}.`
}
