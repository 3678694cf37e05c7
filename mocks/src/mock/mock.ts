import type { HttpHandler } from 'msw'
import type { Fault } from '../faults/fault.ts'
import type { FaultHandle, FaultScope } from '../faults/fault-book.ts'
import type { JournalEntry } from '../history/entry.ts'
import type { Sent } from '../history/sent.ts'
import type { Interception } from '../transports/intercept.ts'
import type { ListenOptions, ServeOptions } from '../transports/node-transports-types.ts'
import type { Standalone } from '../transports/standalone.ts'
import type { MockClock } from './clock.ts'
import type { SeededUser } from './seed.ts'

/** Which options {@link Mock.client} gives. */
export interface ClientOfOptions {
  /** `network`: without a `fetch`, for handlers and `listen()`. @default 'direct' */
  readonly lane?: 'direct' | 'network'
  /** Whether the client sends the user's API key, which lifts the rate limit. @default false */
  readonly withApiKey?: boolean
}

/** Options for the SDK's `createClient`. */
export interface MockClientOptions {
  readonly baseUrl: string
  readonly user: string
  readonly fernetKey: string
  readonly apiKey?: string
  readonly fetch?: typeof globalThis.fetch
  readonly clock: MockClock
  /** No jitter: waits end exactly when the service says. */
  readonly random: () => number
  /** None: what the machine's environment says is not for a test. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** One world of a test's own. `await using` closes what `listen()` and `serve()` opened. */
export interface Mock extends AsyncDisposable {
  /** Where handlers and `listen()` answer; also what {@link Mock.fetch} puts before a path. */
  readonly origin: string
  readonly clock: MockClock
  /**
   * The direct lane: answers without sockets and without MSW. A path alone is enough of an address.
   * @example await mock.fetch('/status')
   */
  readonly fetch: typeof globalThis.fetch
  /** The direct lane of a client at another address, with a rate limit of its own. */
  from(address: string): { readonly fetch: typeof globalThis.fetch }
  /**
   * Handlers for a `setupServer` or `setupWorker` of your own, which answer every request to the origin. On a page's
   * own origin, handlers before them let the page's files through: `http.get('/assets/*', () => passthrough())`.
   * @param origin @default the mock's
   */
  handlers(origin?: string): HttpHandler[]
  /** Answers every request of this process to the origin, and lets none to another one out. Node only. */
  listen(options?: ListenOptions): Promise<Interception>
  /**
   * Serves on a socket, for clients in any language, with `/__mock/*` to steer the world from there; `GET /__mock/`
   * tells what there is. Node only.
   */
  serve(options?: ServeOptions): Promise<Standalone>
  /**
   * The seeded user of this name, with its secrets.
   * @throws Error when the seed has none
   */
  user(name: string): SeededUser
  /**
   * Options for the SDK's `createClient` that make it a client of this seeded user in this world.
   * @throws Error when the seed has no such user
   * @example createClient({ ...mock.client('Alex'), gamemode: 'earth' })
   */
  client(name: string, options?: ClientOfOptions): MockClientOptions
  /**
   * Lets the next matching requests fail.
   * @throws TypeError when there is no such fault, route or number
   * @example mock.fail({ status: 503 }, { times: 2, on: 'postFish' })
   * @example mock.fail('lost-answer', { on: 'POST /post/fish', user: 'Alex' })
   */
  fail(fault: Fault, scope?: FaultScope): FaultHandle
  /** Faults that still wait for requests, the oldest first. */
  readonly faults: readonly FaultHandle[]
  /**
   * Every request so far, in the order in which they came. Filled when it is looked at: what is under way then lacks
   * its status and the like until it is answered, and what comes later is there when it is asked for again.
   * @example
   * await client.fish.list()
   * mock.requests.at(-1)?.status // 200
   */
  readonly requests: readonly JournalEntry[]
  readonly sent: Sent
  /**
   * Returns to the seed: the same users, keys and ids, no faults, an empty journal, and the clock where it began.
   * Requests that are under way end in the world that they began in.
   */
  reset(): Promise<void>
}
