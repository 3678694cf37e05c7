import { createApp, createMemoryStorage, type RateLimit } from '@fish-crab/server/app'
import { type HttpHandler, http } from 'msw'
import { plainPasswords } from './passwords.ts'
import { plant, type Seed, type SeededUser } from './seed.ts'

/** What {@link createMock} takes. */
export interface MockOptions {
  /** Users and administrators to start with. @default none */
  readonly seed?: Seed
  /** Unix time in milliseconds at which the mock's clock stands. @default now */
  readonly startAt?: number
  /** The public rate limit. @default 25 requests per 300 s */
  readonly rateLimit?: RateLimit
}

/** A clock that stands still until it is moved. */
export interface MockClock {
  /** Unix time in milliseconds. */
  now(): number
  /** Moves the clock on by so many milliseconds. */
  advance(milliseconds: number): void
}

/** One service of a test's own. All state lives in it: two mocks share nothing. */
export interface Mock {
  /** Answers a request directly, without MSW. */
  fetch(request: Request): Promise<Response>
  /** MSW handlers that answer every request to an origin. For `setupServer` and `setupWorker`. */
  handlers(origin: string): HttpHandler[]
  /** The seeded user of this name, with its secrets. */
  user(name: string): SeededUser
  readonly clock: MockClock
}

const ADDRESS = '127.0.0.1'

/**
 * Makes a mock: the very program that serves, on memory, with a clock that tests move.
 * @example
 * const mock = await createMock({ seed: { users: [{ name: 'Alex' }] } })
 * const server = setupServer(...mock.handlers('http://fish.test'))
 */
export async function createMock({ seed = {}, startAt = Date.now(), rateLimit }: MockOptions = {}): Promise<Mock> {
  let now = startAt
  const app = createApp({
    storage: createMemoryStorage(),
    secrets: { seal: crypto.randomUUID(), session: crypto.randomUUID() },
    passwords: plainPasswords,
    version: 'mock',
    clientAddress: () => ADDRESS,
    clock: () => now,
    ...(rateLimit ? { rateLimit } : {}),
  })
  const users = await plant(app, seed)
  return {
    fetch: app.fetch,
    handlers: (origin) => [http.all(`${origin}/*`, ({ request }) => app.fetch(request))],
    user(name) {
      const user = users.get(name)
      if (!user) throw new Error(`The seed has no user "${name}". Add it to createMock({ seed: { users } }).`)
      return user
    },
    clock: {
      now: () => now,
      advance(milliseconds) {
        now += milliseconds
      },
    },
  }
}
