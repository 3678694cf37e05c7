export { createMock } from './create-mock.ts'
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
} from './journal/entry.ts'
export type { Sent } from './journal/sent.ts'
export type { Interception, OnUnhandled, Passthrough } from './lanes/intercept.ts'
export type { ListenOptions, ServeOptions } from './lanes/node-lanes-types.ts'
export type { Standalone } from './lanes/standalone.ts'
export type { ClientOfOptions, Mock, MockClientOptions } from './mock.ts'
export type { MockKeys, MockOptions } from './options.ts'
export {
  SEEDED_AT,
  type Seed,
  type SeedAdmin,
  type SeedCrab,
  type SeededUser,
  type SeedFish,
  type SeedUser,
} from './seed.ts'
export { type SeedUserBuilder, seedUser } from './seed-user.ts'
export type { ClockSleeper, MockClock } from './world/clock.ts'
export type { Lane } from './world/outcome.ts'
export type { MockLimits } from './world/service.ts'
