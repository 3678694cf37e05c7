import type {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
} from './api-errors.ts'
import type { ConnectionError, InvalidResponseError, TimeoutError } from './connection-errors.ts'
import { type FishCrabError, isBranded } from './fish-crab-error.ts'
import type { ValidationError } from './validation-error.ts'

/**
 * Whether a thrown value is an error of this package, also one of another copy of it, where `instanceof` says no.
 * So do all guards below, each for its class and the classes under it.
 *
 * @example
 * try {
 *   await client.fish.add({ name: 'Salmon', rarity: 'Gold' })
 * } catch (error) {
 *   if (isRateLimitError(error)) showNextTry(error.resetAt)
 *   else throw error
 * }
 */
export function isFishCrabError(error: unknown): error is FishCrabError {
  return isBranded(error, 'FishCrabError')
}

/** Whether a thrown value is a {@link ValidationError}: nothing was sent. */
export function isValidationError(error: unknown): error is ValidationError {
  return isBranded(error, 'ValidationError')
}

/** Whether a thrown value is a {@link ConnectionError}, timeouts included. */
export function isConnectionError(error: unknown): error is ConnectionError {
  return isBranded(error, 'ConnectionError')
}

/** Whether a thrown value is a {@link TimeoutError}. */
export function isTimeoutError(error: unknown): error is TimeoutError {
  return isBranded(error, 'TimeoutError')
}

/** Whether a thrown value is an {@link InvalidResponseError}. */
export function isInvalidResponseError(error: unknown): error is InvalidResponseError {
  return isBranded(error, 'InvalidResponseError')
}

/** Whether a thrown value is an {@link ApiError}: the server answered, with a refusal or a failure. */
export function isApiError(error: unknown): error is ApiError {
  return isBranded(error, 'ApiError')
}

/** Whether a thrown value is a {@link BadRequestError} (400). */
export function isBadRequestError(error: unknown): error is BadRequestError {
  return isBranded(error, 'BadRequestError')
}

/** Whether a thrown value is an {@link AuthenticationError} (401). */
export function isAuthenticationError(error: unknown): error is AuthenticationError {
  return isBranded(error, 'AuthenticationError')
}

/** Whether a thrown value is a {@link PermissionDeniedError} (403). */
export function isPermissionDeniedError(error: unknown): error is PermissionDeniedError {
  return isBranded(error, 'PermissionDeniedError')
}

/** Whether a thrown value is a {@link NotFoundError} (404). */
export function isNotFoundError(error: unknown): error is NotFoundError {
  return isBranded(error, 'NotFoundError')
}

/** Whether a thrown value is a {@link ConflictError} (409). */
export function isConflictError(error: unknown): error is ConflictError {
  return isBranded(error, 'ConflictError')
}

/** Whether a thrown value is a {@link RateLimitError} (429). */
export function isRateLimitError(error: unknown): error is RateLimitError {
  return isBranded(error, 'RateLimitError')
}

/** Whether a thrown value is a {@link ServerError} (5xx). */
export function isServerError(error: unknown): error is ServerError {
  return isBranded(error, 'ServerError')
}
