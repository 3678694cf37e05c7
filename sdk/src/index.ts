export type { ApiPromise, ResponseMeta } from './client/call.ts'
export type { CallOptions } from './client/call-options.ts'
export type { Clock } from './client/clock.ts'
export { type Client, createClient } from './client/create-client.ts'
export type { CrabInput, FishInput } from './client/entries.ts'
export type { Hooks, Logger, RequestEvent, ResponseEvent, RetryEvent, WaitEvent } from './client/observe.ts'
export type { ClientOptions } from './client/options.ts'
export type { EncryptedCatches } from './client/resources/encrypt-catches.ts'
export type { IterateOptions } from './client/resources/iterate-catches.ts'
export type { Detailed, ListOptions } from './client/resources/list-catches.ts'
export type { AddOptions, AddResult } from './client/resources/send-catches.ts'
export type { Target } from './client/targets.ts'
export type { ErrorCode } from './contract/error-codes.ts'
export { GAMEMODES, type Gamemode, isGamemode } from './contract/gamemodes.ts'
export { RARITIES, type RarityLabel, type RarityValue, rarityLabel, rarityValue } from './contract/rarities.ts'
export type { Crab, CrabCollection, Fish, FishCollection } from './contract/schemas/catches.ts'
export type { Status } from './contract/schemas/service.ts'
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
} from './errors/api-errors.ts'
export { ConnectionError, InvalidResponseError, TimeoutError } from './errors/connection-errors.ts'
export { FishCrabError, type Issue, type RateLimitState, ValidationError } from './errors/fish-crab-error.ts'
export { FernetError } from './fernet/errors.ts'
