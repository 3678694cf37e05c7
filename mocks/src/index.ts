export type { Gamemode } from '@fish-crab/sdk/contract'
export {
  DEFAULT_CODES,
  FAULT_NAMES,
  type Fault,
  type FaultName,
  type LatencyFault,
  type StatusFault,
} from './faults/fault.ts'
export type { FaultHandle, FaultOptions, RouteMatcher } from './faults/registry.ts'
export type {
  HistoryEntry,
  RateLimitDecision,
  SentCrab,
  SentFish,
  WritePayload,
} from './history/entry.ts'
export type { SentCatches } from './history/history.ts'
export { createMock } from './mock/create-mock.ts'
export type { CreateClientOptions, ListenOptions, Mock, MockClientOptions } from './mock/mock.ts'
export type { MockKeys, MockOptions } from './mock/options.ts'
export type { ClockSleeper, MockClock } from './service/clock.ts'
export type { Transport } from './service/outcome.ts'
export {
  SEEDED_AT,
  type Seed,
  type SeedAdmin,
  type SeedCrab,
  type SeededUser,
  type SeedFish,
  type SeedUser,
} from './service/seed.ts'
export type { MockLimits } from './service/service.ts'
export type { MockServer, ServeOptions } from './transports/http.ts'
export type { Interception, OnUnhandled, Passthrough } from './transports/intercept.ts'
