import { requireNode } from '../../../server/src/storage/core/require-node.ts'
import { createControlApi } from '../control-api/control-api.ts'
import { createMockService } from '../mock/mock-service.ts'
import { checkOptions, type MockOptions } from '../mock/options.ts'
import { assertKnownKeys, keysOf } from '../service/check-options.ts'
import { createClock } from '../service/clock.ts'
import type { SeededUser } from '../service/seed.ts'
import { type MockServer, type ServeOptions, serveHttp } from '../transports/http.ts'

export type { Gamemode } from '@fish-crab/sdk/contract'
export { parseSeed, SeedError } from '../service/check-seed.ts'
export type { Seed, SeedAdmin, SeedCrab, SeededUser, SeedFish, SeedUser } from '../service/seed.ts'
export type { MockServer, ServeOptions } from '../transports/http.ts'

/** Options of {@link startStandaloneMock}. */
export type StandaloneMockOptions = Pick<MockOptions, 'seed' | 'gamemodes' | 'startAt' | 'limits' | 'allowedOrigins'> &
  ServeOptions & {
    /** The API key that lifts the rate limit. @default none */
    readonly masterApiKey?: string | undefined
  }

const OPTIONS = keysOf<StandaloneMockOptions>({
  seed: 1,
  gamemodes: 1,
  startAt: 1,
  limits: 1,
  allowedOrigins: 1,
  masterApiKey: 1,
  host: 1,
  port: 1,
})

/** A mock server that is controlled over HTTP. */
export interface StandaloneMock extends MockServer {
  /** The seeded users with all their secrets, in the order of the seed. */
  readonly users: readonly SeededUser[]
}

/**
 * Starts a mock server, for a process that does nothing else. This entry is a single file without MSW and undici, so it
 * starts in a fraction of the time of `createMock().serve()`.
 * @throws Error when the seed is invalid; Node's own error when the address is not available
 * @example
 * const mock = await startStandaloneMock({ seed: { users: [{ name: 'Alex' }] }, port: 8787 })
 * await mock.close()
 */
export async function startStandaloneMock(options: StandaloneMockOptions = {}): Promise<StandaloneMock> {
  requireNode('@fish-crab/mocks')
  assertKnownKeys('startStandaloneMock()', options, OPTIONS)
  const { host, port, masterApiKey, ...mockOptions } = options
  const serviceOptions = { ...checkOptions(mockOptions), masterApiKey }
  const clock = createClock({ startAt: options.startAt })
  const mock = await createMockService(serviceOptions, clock)
  const { handle, service } = mock
  const server = await serveHttp({
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    handle,
    control: createControlApi(mock),
    now: clock.now,
    sleep: clock.hold,
  })
  return { ...server, users: [...service.users.values()] }
}
