export type {
  FailureEvent,
  Hooks,
  Logger,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  WaitEvent,
} from './client/core/hooks.ts'
export type { CallOptions, ClientOptions } from './client/core/options.ts'
export type { Clock } from './client/core/timing.ts'
export { type Client, createClient } from './client/create-client.ts'
export type { CrabInput, DetailedEntry, FishInput } from './client/resources/catch-input.ts'
export type { IterateOptions, ListOptions } from './client/resources/catches.ts'
export type { Target } from './client/resources/target.ts'
export type {
  CaughtCrab,
  CaughtEntry,
  CaughtFish,
  RemovedRecord,
  WatchOptions,
} from './client/resources/watch.ts'
export type {
  AddOptions,
  AddResult,
  EncryptedCatches,
  MoveOptions,
  RemoveOptions,
} from './client/resources/write-catches.ts'
export type { ApiPromise, ResponseMeta } from './client/transport/call.ts'
export type { ErrorCode } from './contract/error-codes.ts'
export { GAMEMODES, type Gamemode, isGamemode } from './contract/gamemodes.ts'
export { RARITIES, type RarityLabel, type RarityValue, rarityLabel, rarityValue } from './contract/rarities.ts'
export type {
  Crab,
  CrabCollection,
  CrabSummary,
  Fish,
  FishCollection,
  FishSummary,
  KnownSpecies,
  Profile,
  Status,
} from './contract/schemas.ts'
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
export {
  FernetError,
  FishCrabError,
  type FishCrabErrorFields,
  type Issue,
  type RateLimitState,
  ValidationError,
} from './errors/fish-crab-error.ts'
