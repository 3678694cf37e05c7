export {
  DEFAULT_CODES,
  FAULT_NAMES,
  type Fault,
  type FaultName,
  type LatencyFault,
  type StatusFault,
} from './faults/fault.ts'
export type { FaultHandle, FaultOn, FaultScope } from './faults/fault-book.ts'
export type {
  JournalEntry,
  LimitDecision,
  SentPayload,
  StoredCatch,
  StoredCrab,
  StoredFish,
} from './history/entry.ts'
export type { Sent } from './history/sent.ts'
export type { ClockSleeper, MockClock } from './mock/clock.ts'
export { createMock } from './mock/create-mock.ts'
export type { ClientOfOptions, Mock, MockClientOptions } from './mock/mock.ts'
export type { MockKeys, MockOptions } from './mock/options.ts'
export type { Lane } from './mock/outcome.ts'
export {
  SEEDED_AT,
  type Seed,
  type SeedAdmin,
  type SeedCrab,
  type SeededUser,
  type SeedFish,
  type SeedUser,
} from './mock/seed.ts'
export { type SeedUserBuilder, seedUser } from './mock/seed-user.ts'
export type { MockLimits } from './mock/service.ts'
export type { Interception, OnUnhandled, Passthrough } from './transports/intercept.ts'
export type { ListenOptions, ServeOptions } from './transports/node-transports-types.ts'
export type { Standalone } from './transports/standalone.ts'
