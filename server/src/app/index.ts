export { createMemoryStorage } from '../storage/memory.ts'
export type { FishStorage } from '../storage/types.ts'
export { type App, createApp } from './app.ts'
export type { Docs } from './docs.ts'
export { type ContentCoding, type ContentEncoder, createPlatformEncoder } from './http/encoding.ts'
export { canonicalPath } from './http/path.ts'
export type { StaticFile } from './http/static-file.ts'
export type { RandomSource } from './ids.ts'
export { clientKey, forwardedAddress } from './limits/client.ts'
export type { RateLimit } from './limits/rate-limit.ts'
export type {
  AdmissionDecision,
  Metrics,
  RenderedMetrics,
  RequestObservation,
  StorageObservation,
} from './metrics.ts'
export type { AppOptions, AppSecrets, Logger, PasswordHasher, RequestHost } from './options.ts'
export { SealError } from './users/vault.ts'
