import { createControlApi } from '../control-api/control-api.ts'
import { checkOptions } from '../mock/check-options.ts'
import { createClock } from '../mock/clock.ts'
import { assertKnownKeys, keysOf } from '../mock/known-keys.ts'
import { createWorld } from '../mock/mock-state.ts'
import type { MockOptions } from '../mock/options.ts'
import { checkOrigin } from '../mock/origin.ts'
import type { SeededUser } from '../mock/seed.ts'
import { requireNode } from '../node-version.ts'
import { type Standalone, type StandaloneOptions, serveStandalone } from './standalone.ts'

/** What {@link startStandaloneMock} takes. */
export type StandaloneMockOptions = Pick<MockOptions, 'seed' | 'startAt' | 'limits' | 'allowedOrigins'> &
  Pick<StandaloneOptions, 'host' | 'port'>

const OPTIONS = keysOf<StandaloneMockOptions>({ seed: 1, startAt: 1, limits: 1, allowedOrigins: 1, host: 1, port: 1 })

/** A mock that is steered from outside alone. */
export interface StandaloneMock extends Standalone {
  /** The seeded users with all their secrets, in the order of the seed. */
  readonly users: readonly SeededUser[]
}

/**
 * Starts a mock that answers on a socket and by no other lane, for programs that are nothing but one. What it needs is
 * one file, without MSW and undici, and so it is there in a fraction of the time of `createMock().serve()`.
 * @throws Error when the seed is refused; Node's own when the address cannot be had
 * @example
 * await using mock = await startStandaloneMock({ seed: { users: [{ name: 'Alex' }] }, port: 8787 })
 */
export async function startStandaloneMock(options: StandaloneMockOptions = {}): Promise<StandaloneMock> {
  requireNode()
  assertKnownKeys('startStandaloneMock()', options, OPTIONS)
  const { seed = {}, limits = {}, startAt, allowedOrigins = [], ...listening } = options
  checkOptions({ seed, limits, allowedOrigins, ...(startAt === undefined ? {} : { startAt }) })
  const clock = createClock({ startAt })
  const { now, hold } = clock
  const world = await createWorld(
    {
      seed,
      limits,
      masterApiKey: undefined,
      allowedOrigins: allowedOrigins.map((one) => checkOrigin(one)),
      trustProxy: 0,
    },
    clock,
  )
  const control = createControlApi({ world, clock })
  const standalone = await serveStandalone({ ...listening, answer: world.answer, control, now, sleep: hold })
  const users = [...world.service.users.values()].map(({ id: _, ...user }) => user)
  return { ...standalone, users }
}
