import { createMock, type Mock, type SeedFish } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { onTestFinished, vi } from 'vitest'
import { type RunOptions, run } from './harness.ts'

/** The start time of each mock service, in milliseconds since 1970. */
export const START = Date.parse('2026-01-01T00:00:00Z')

const ADMIN = { username: 'admin', password: 'canary-admin-password' }

interface Acting {
  readonly mock: Mock
  /** Adds a fish without using the rate limit of the watching command. */
  add(name: string, rarity?: 1 | 2 | 3): Promise<{ readonly id: string }>
  addCrab(name: string): Promise<unknown>
  /** Uses up requests of the rate limit window, as other commands of the same user do. */
  useUp(requests: number): Promise<void>
  stop(): void
}

/** The context of `between`, which runs in the pause between two polls. */
export interface Between extends Acting {
  /** The number of earlier pauses. */
  readonly pause: number
  /** The duration of the pause in milliseconds. */
  readonly ms: number
  /** The whole stdout until now. */
  readonly stdout: string
}

/** The context of `during`, which runs at the same time as the command. */
export interface During extends Acting {
  /** Waits until the command receives events: the stream is open, and the list was read afterwards. */
  live(): Promise<void>
  /** Waits until stdout has at least `count` lines. @returns the whole stdout */
  lines(count: number): Promise<string>
  /** Closes the connections of the service, and rejects new connections until `startService`. */
  stopService(): Promise<void>
  startService(): Promise<void>
  removeFish(id: string): Promise<unknown>
  deleteAlex(): Promise<unknown>
  /** Waits until stdout matches `text`. @returns the whole stdout */
  shows(text: RegExp): Promise<string>
  /** Waits until stderr matches `text`. */
  says(text: RegExp): Promise<void>
}

/** The conditions in which a watching command is tested. */
export interface Watching extends RunOptions {
  readonly fish?: readonly SeedFish[]
  /** Whether the command uses the API key of the player. */
  readonly withApiKey?: boolean
  /** Prepares the mock service. */
  readonly before?: (mock: Mock) => unknown
  /** @default nothing */
  readonly between?: (between: Between) => Promise<unknown> | unknown
  /** Runs at the same time as the command. The command is stopped afterwards. */
  readonly during?: (during: During) => Promise<unknown>
}

/**
 * Runs a watching command with a mock service. The clock of the service advances only between two polls or attempts.
 */
export async function runWatch(argv: readonly string[], watching: Watching) {
  const { fish = [], withApiKey, before, between = () => {}, during, ...options } = watching
  await using mock = await createMock({
    startAt: START,
    seed: { users: [{ name: 'Alex', fish: { earth: fish } }], admins: [ADMIN] },
  })
  let served = await mock.serve({ port: 0 })
  const { url } = served
  onTestFinished(() => served[Symbol.asyncDispose]())
  const alex = createClient({ ...mock.client('Alex', { withApiKey: true }), gamemode: 'earth' })
  const admin = createAdminClient({ baseUrl: url, ...ADMIN, env: {} })
  const ending = new AbortController()
  const pauses: number[] = []
  let [stdout, stderr] = ['', '']
  const acting: Acting = {
    mock,
    add: (name, rarity = 1) => alex.fish.add({ name, rarity }),
    addCrab: (name) => alex.crabs.add({ name }),
    async useUp(requests) {
      for (let used = 0; used < requests; used += 1) await fetch(`${url}/demo/fish`)
    },
    stop: () => ending.abort(new Error('Ctrl-C')),
  }
  const until = (holds: () => boolean) => vi.waitUntil(holds, { interval: 5, timeout: 5000 })
  const clock = {
    now: () => mock.clock.now(),
    async sleep(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted()
      const pause = pauses.push(ms) - 1
      if (pause > 200 && !during) throw new Error('It goes on and on.')
      await between({ ...acting, pause, ms, stdout })
      await mock.clock.advance(ms)
      signal?.throwIfAborted()
    },
  }
  before?.(mock)
  const running = run(argv, {
    ...options,
    env: {
      FISH_URL: url,
      FISH_GAMEMODE: 'earth',
      FISH_USER: 'Alex',
      FISH_API_KEY: withApiKey ? mock.user('Alex').apiKey : undefined,
      NO_COLOR: '1',
      ...options.env,
    },
    clock,
    interrupted: ending.signal,
    onStdout: (text) => {
      stdout = text
      options.onStdout?.(text)
    },
    onStderr: (text) => {
      stderr = text
    },
  })
  const requested = () => mock.requests.filter(({ transport, path }) => transport === 'http' && path !== '/demo/fish')
  const acts = during?.({
    ...acting,
    async live() {
      const isLive = () => {
        const routes = requested().map(({ route, status }) => `${route} ${status}`)
        const opened = routes.lastIndexOf('events 200')
        return opened >= 0 && /^get/.test(routes.at(-1) ?? '') && routes.length - 1 > opened
      }
      await until(isLive)
    },
    async lines(count) {
      await until(() => stdout.split('\n').length > count)
      return stdout
    },
    async stopService() {
      await served[Symbol.asyncDispose]()
    },
    async startService() {
      served = await mock.serve({ port: Number(new URL(url).port) })
    },
    removeFish: (id) => admin.fish.delete('Alex', id, { gamemode: 'earth' }),
    deleteAlex: () => admin.users.delete('Alex'),
    async shows(text) {
      await until(() => text.test(stdout))
      return stdout
    },
    async says(text) {
      await until(() => text.test(stderr))
    },
  })
  try {
    await Promise.race([acts, running])
  } finally {
    if (during) acting.stop()
  }
  const result = await running
  await acts
  return { ...result, pauses, polls: requested() }
}
