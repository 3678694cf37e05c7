export { parseSeed, SeedError } from '../control-api/seed-schema.ts'
export type { Seed, SeedAdmin, SeedCrab, SeededUser, SeedFish, SeedUser } from '../mock/seed.ts'
export type { Standalone } from '../transports/standalone.ts'
export { type StandaloneMock, type StandaloneMockOptions, startStandaloneMock } from '../transports/standalone-mock.ts'
