export type {
  AdminRole,
  CreatedUser,
  Gamemode,
  Profile,
  PublicLeaderboard,
  SpeciesList,
  User,
} from '@fish-crab/sdk/contract'
export type { PageData } from '../page-data.ts'
export type { FishStorage } from '../storage/core/types.ts'
export { createMemoryStorage } from '../storage/memory/memory.ts'
export { type App, createApp } from './app.ts'
export { GamemodesError } from './catches/gamemodes.ts'
export type {
  CardRenderer,
  Logger,
  Metrics,
  PasswordHasher,
  RateLimitDecision,
  RenderedMetrics,
  RequestHost,
  RequestObservation,
  RoutedRequest,
  StorageObservation,
  StoredTotals,
} from './core/host.ts'
export type { RandomSource } from './core/ids.ts'
export type { Schedule } from './core/schedule.ts'
export { clientKey, forwardedAddress } from './http/client-address.ts'
export { type ContentCoding, type ContentEncoder, createPlatformEncoder } from './http/encoding.ts'
export { canonicalPath } from './http/path.ts'
export type { RateLimit } from './http/rate-limit.ts'
export type { Docs, PageAssets, PageName, Pages, PageView, StaticFile } from './http/response.ts'
export type { StreamOptions } from './live/streams.ts'
export type { AppOptions, AppSecrets } from './options.ts'
export { DecryptionError, type Encryption } from './users/encryption.ts'
