export type { ApiPromise, ResponseInfo, ResponseMeta, WithMeta, WithResponse } from './client/call.ts'
export type { CallOptions } from './client/call-options.ts'
export type { Clock } from './client/clock.ts'
export { type Client, createClient } from './client/create-client.ts'
export { DEFAULT_BASE_URL } from './client/default-base-url.ts'
export type { CrabInput, FishInput } from './client/entries.ts'
export type { Environment } from './client/environment.ts'
export type { Hooks, Logger, RequestEvent, ResponseEvent, RetryEvent, WaitEvent } from './client/observe.ts'
export type { ClientOptions } from './client/options.ts'
export type { CrabsResource, FishResource } from './client/resources/catches.ts'
export type { DemoResource } from './client/resources/demo.ts'
export type { EncryptedCatches } from './client/resources/encrypt-catches.ts'
export type { IterateOptions } from './client/resources/iterate-catches.ts'
export type { GetKeyOptions, KeysResource } from './client/resources/keys.ts'
export type { Detail, Detailed, ListOptions } from './client/resources/list-catches.ts'
export type { AddOptions, AddResult } from './client/resources/send-catches.ts'
export type { GetStatus } from './client/resources/status.ts'
export type { Target } from './client/targets.ts'
export { ERROR_CODES, type ErrorCode } from './contract/error-codes.ts'
export { GAMEMODES, type Gamemode, isGamemode } from './contract/gamemodes.ts'
export { LIMITS } from './contract/limits.ts'
export { isUserName, USER_NAME_RULE, userNameKey } from './contract/names.ts'
export { RARITIES, type RarityLabel, type RarityValue, rarityLabel, rarityValue } from './contract/rarities.ts'
export type { Crab, CrabCollection, Fish, FishCollection, Saved } from './contract/schemas/catches.ts'
export type { Status, UserKey } from './contract/schemas/service.ts'
export {
  ApiError,
  type ApiErrorFields,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
} from './errors/api-errors.ts'
export {
  ConnectionError,
  type ConnectionErrorFields,
  InvalidResponseError,
  type InvalidResponseFields,
  TimeoutError,
} from './errors/connection-errors.ts'
export { FishCrabError, type FishCrabErrorFields } from './errors/fish-crab-error.ts'
export {
  isApiError,
  isAuthenticationError,
  isBadRequestError,
  isConflictError,
  isConnectionError,
  isFishCrabError,
  isInvalidResponseError,
  isNotFoundError,
  isPermissionDeniedError,
  isRateLimitError,
  isServerError,
  isTimeoutError,
  isValidationError,
} from './errors/guards.ts'
export type { RateLimitState } from './errors/rate-limit-state.ts'
export { type Issue, ValidationError } from './errors/validation-error.ts'
export { FernetError, type FernetErrorCode, isFernetError } from './fernet/errors.ts'
