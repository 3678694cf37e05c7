import type { Gamemode } from '@fish-crab/sdk/contract'
import type { HttpHandler } from 'msw'
import type { Fault } from '../faults/fault.ts'
import type { FaultHandle, FaultOptions } from '../faults/registry.ts'
import type { HistoryEntry } from '../history/entry.ts'
import type { SentCatches } from '../history/history.ts'
import type { MockClock } from '../service/clock.ts'
import type { SeededUser } from '../service/seed.ts'
import type { MockServer, ServeOptions } from '../transports/http.ts'
import type { Interception, InterceptOptions } from '../transports/intercept.ts'

/** Options of {@link Mock.listen}. */
export type ListenOptions = Omit<InterceptOptions, 'handle' | 'origin' | 'sleep' | 'served'>

/** Options of {@link Mock.client}. */
export interface MockClientOptions {
  /**
   * How the client reaches the mock: through the `fetch` of the mock (`direct`), or through the global `fetch`
   * (`network`), for `handlers()` and `listen()`. @default 'direct'
   */
  readonly transport?: 'direct' | 'network'
  /** Whether the client sends the user's API key, which bypasses the rate limit. @default false */
  readonly withApiKey?: boolean
}

/** Options for `createClient` of the SDK, from {@link Mock.client}. */
export interface CreateClientOptions {
  /** The origin of the mock. */
  readonly baseUrl: string
  readonly user: string
  readonly fernetKey: string
  /** Present only with `withApiKey: true`. */
  readonly apiKey?: string
  /** {@link Mock.fetch}. Absent with `transport: 'network'`. */
  readonly fetch?: typeof globalThis.fetch
  /** The clock of the mock, which also controls the client's waits and timeouts. */
  readonly clock: MockClock
  /** Always 0: without jitter, waits end exactly when the service allows the next request. */
  readonly random: () => number
  /** Always empty, so that tests do not depend on the environment of the machine. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** An isolated mock of the service. */
export interface Mock extends AsyncDisposable {
  /** The origin at which handlers and `listen()` respond, and against which {@link Mock.fetch} resolves paths. */
  readonly origin: string
  /** The clock of the service and of its clients. */
  readonly clock: MockClock
  /** The gamemodes of the service, in the order of `createMock({ gamemodes })`. */
  readonly gamemodes: readonly Gamemode[]
  /**
   * Calls the service directly, without sockets and without MSW. Takes URLs and paths.
   * @example await mock.fetch('/status')
   */
  readonly fetch: typeof globalThis.fetch
  /** Like {@link Mock.fetch}, for a client at another address, which has its own rate limit. */
  from(address: string): { readonly fetch: typeof globalThis.fetch }
  /**
   * MSW handlers for `setupServer` or `setupWorker` that respond to every request to the origin. If the mock uses the
   * page's own origin, put handlers for the page's files first: `http.get('/assets/*', () => passthrough())`.
   * @param origin @default the origin of the mock
   */
  handlers(origin?: string): HttpHandler[]
  /**
   * Responds to every request of this process to the origin, and blocks requests to all other origins except those of
   * `serve()`. Node only.
   */
  listen(options?: ListenOptions): Promise<Interception>
  /**
   * Serves the mock over HTTP, for clients in any language, with the control API at `/__mock`; `GET /__mock/` lists its
   * endpoints. Node only.
   */
  serve(options?: ServeOptions): Promise<MockServer>
  /**
   * Returns the seeded user of this name, including the secrets of the user.
   * @throws Error when the seed has no such user
   */
  user(name: string): SeededUser
  /**
   * Returns the options with which `createClient` of the SDK creates a client for this seeded user.
   * @throws Error when the seed has no such user
   * @example createClient({ ...mock.client('Alex'), gamemode: 'earth' })
   */
  client(name: string, options?: MockClientOptions): CreateClientOptions
  /**
   * Makes the next matching requests fail.
   * @throws TypeError when the fault or a number is invalid, or a user or a route does not exist
   * @example mock.fail({ status: 503 }, { times: 2, on: 'postFish' })
   * @example mock.fail('lost-response', { on: 'POST /post/fish', user: 'Alex' })
   */
  fail(fault: Fault, options?: FaultOptions): FaultHandle
  /** Pending faults, oldest first. */
  readonly faults: readonly FaultHandle[]
  /**
   * Throws if faults are pending. Call this method in `afterEach`. A fault with `times: Infinity` is pending until it
   * fires once.
   * @throws Error that lists pending faults, each with how often it fired
   */
  assertNoPendingFaults(): void
  /**
   * The history: every request so far, in order of arrival. The `status` and other response fields of a request in
   * flight are filled in when it completes. Each access returns the requests up to that moment.
   * @example
   * await client.fish.list()
   * mock.requests.at(-1)?.status // 200
   */
  readonly requests: readonly HistoryEntry[]
  /** The catches that clients sent and the mock stored. */
  readonly sent: SentCatches
  /**
   * Restores the initial state: the same users, keys and ids, no faults, an empty history, and the clock at its start.
   * Requests in flight complete in the state before the reset, and event streams end. Create new clients with
   * {@link Mock.client} after a reset, because earlier clients remember the rate limit.
   */
  reset(): Promise<void>
  /**
   * Closes the interceptions of `listen()` and the servers of `serve()`, and ends event streams. `await using` (Node 24
   * or later) does the same.
   */
  close(): Promise<void>
}
