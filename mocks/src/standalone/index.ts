export { parseSeed, SeedError } from '../control/seed-schema.ts'
export type { Standalone } from '../lanes/standalone.ts'
export { type StandaloneMock, type StandaloneMockOptions, startStandaloneMock } from '../lanes/standalone-mock.ts'
export type { Seed, SeedAdmin, SeedCrab, SeededUser, SeedFish, SeedUser } from '../seed.ts'
