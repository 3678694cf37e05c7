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

/**
 * Whether a thrown value is a {@link ValidationError}: nothing was sent.
 *
 * @example
 * if (isValidationError(error)) for (const { path, message } of error.issues) showStatus(`${path}: ${message}`)
 */
export function isValidationError(error: unknown): error is ValidationError {
  return isBranded(error, 'ValidationError')
}

/**
 * Whether a thrown value is a {@link ConnectionError}, timeouts included.
 *
 * @example
 * if (isConnectionError(error)) showStatus(`The service is out of reach: ${error.systemCode ?? error.code}`)
 */
export function isConnectionError(error: unknown): error is ConnectionError {
  return isBranded(error, 'ConnectionError')
}

/**
 * Whether a thrown value is a {@link TimeoutError}.
 *
 * @example
 * if (isTimeoutError(error)) showStatus('The service takes too long. Try again later.')
 */
export function isTimeoutError(error: unknown): error is TimeoutError {
  return isBranded(error, 'TimeoutError')
}

/**
 * Whether a thrown value is an {@link InvalidResponseError}.
 *
 * @example
 * if (isInvalidResponseError(error)) showStatus('Something else answers at that address.')
 */
export function isInvalidResponseError(error: unknown): error is InvalidResponseError {
  return isBranded(error, 'InvalidResponseError')
}

/**
 * Whether a thrown value is an {@link ApiError}: the server answered, with a refusal or a failure.
 *
 * @example
 * if (isApiError(error)) showStatus(`${error.code}, request ${error.requestId ?? 'unknown'}`)
 */
export function isApiError(error: unknown): error is ApiError {
  return isBranded(error, 'ApiError')
}

/**
 * Whether a thrown value is a {@link BadRequestError} (400).
 *
 * @example
 * if (isBadRequestError(error) && error.code === 'invalid_token') showStatus('Is this the key of that player?')
 */
export function isBadRequestError(error: unknown): error is BadRequestError {
  return isBranded(error, 'BadRequestError')
}

/**
 * Whether a thrown value is an {@link AuthenticationError} (401).
 *
 * @example
 * if (isAuthenticationError(error)) showStatus('The name or the password is wrong.')
 */
export function isAuthenticationError(error: unknown): error is AuthenticationError {
  return isBranded(error, 'AuthenticationError')
}

/**
 * Whether a thrown value is a {@link PermissionDeniedError} (403).
 *
 * @example
 * if (isPermissionDeniedError(error)) showStatus('That is for another player, or for administrators.')
 */
export function isPermissionDeniedError(error: unknown): error is PermissionDeniedError {
  return isBranded(error, 'PermissionDeniedError')
}

/**
 * Whether a thrown value is a {@link NotFoundError} (404).
 *
 * @example
 * if (isNotFoundError(error) && error.code === 'user_not_found') showStatus('There is no such player.')
 */
export function isNotFoundError(error: unknown): error is NotFoundError {
  return isBranded(error, 'NotFoundError')
}

/**
 * Whether a thrown value is a {@link ConflictError} (409).
 *
 * @example
 * if (isConflictError(error) && error.code === 'user_exists') showStatus('That name is taken.')
 */
export function isConflictError(error: unknown): error is ConflictError {
  return isBranded(error, 'ConflictError')
}

/**
 * Whether a thrown value is a {@link RateLimitError} (429).
 *
 * @example
 * if (isRateLimitError(error)) showStatus(`Try again at ${error.resetAt.toLocaleTimeString()}.`)
 */
export function isRateLimitError(error: unknown): error is RateLimitError {
  return isBranded(error, 'RateLimitError')
}

/**
 * Whether a thrown value is a {@link ServerError} (5xx).
 *
 * @example
 * if (isServerError(error)) showStatus('The service has trouble. Try again later.')
 */
export function isServerError(error: unknown): error is ServerError {
  return isBranded(error, 'ServerError')
}
