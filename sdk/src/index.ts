export type { Answer, AnswerInfo } from './client/answer.ts'
export type { CallOptions } from './client/call-options.ts'
export type { Clock } from './client/clock.ts'
export { type Client, createClient } from './client/create-client.ts'
export type { CrabEntry, FishEntry } from './client/entries.ts'
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
} from './client/error-guards.ts'
export {
  ApiError,
  type ApiErrorFields,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  FishCrabError,
  InvalidResponseError,
  type Issue,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  TimeoutError,
  ValidationError,
} from './client/errors.ts'
export { type ClientOptions, DEFAULT_BASE_URL } from './client/options.ts'
export type { RateLimitState } from './client/rate-limit.ts'
export type { AddOptions, AddResult } from './client/resources/add-catches.ts'
export type { CrabsResource, FishResource } from './client/resources/catches.ts'
export type { DemoResource } from './client/resources/demo.ts'
export type { GetKeyOptions, KeysResource } from './client/resources/keys.ts'
export type { ListOptions } from './client/resources/list-catches.ts'
export type { GetStatus } from './client/resources/status.ts'
export type { Target } from './client/targets.ts'
export { GAMEMODES, type Gamemode, isGamemode } from './contract/gamemodes.ts'
export { RARITIES, type RarityLabel, type RarityValue, rarityLabel, rarityValue } from './contract/rarities.ts'
export type { Crab, CrabCollection, Fish, FishCollection, Saved } from './contract/schemas/catches.ts'
export type { Status, UserKey } from './contract/schemas/service.ts'
export { FernetError, type FernetErrorCode, isFernetError } from './fernet/errors.ts'
