export { createMock, type Mock, type MockClock, type MockOptions } from './create-mock.ts'
export type { Seed, SeedAdmin, SeededUser, SeedUser } from './seed.ts'
