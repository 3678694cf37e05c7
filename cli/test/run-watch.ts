import { createMock, type Mock, type SeedFish } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { onTestFinished } from 'vitest'
import { type RunOptions, run } from './harness.ts'

/** Milliseconds since 1970 at which each of these mock services begins. */
export const START = Date.parse('2026-01-01T00:00:00Z')

/** What happens between two polls. Ends it by aborting. */
export interface Between {
  readonly mock: Mock
  /** How many pauses there were before, from 0. */
  readonly pause: number
  /** Milliseconds that this pause takes. */
  readonly ms: number
  /** All of stdout so far. */
  readonly stdout: string
  /** Adds a fish, at no cost of the rate limit of who watches. */
  add(name: string, rarity?: 1 | 2 | 3): Promise<unknown>
  /** Uses so many requests of the window up, as other commands of the same person do. */
  useUp(requests: number): Promise<void>
  stop(): void
}

/** What a watch is tested in. */
export interface Watching extends RunOptions {
  readonly fish?: readonly SeedFish[]
  /** Watch with the API key of the player. */
  readonly withApiKey?: boolean
  /** Prepares the mock service. */
  readonly before?: (mock: Mock) => unknown
  readonly between: (between: Between) => Promise<unknown> | unknown
}

/** Runs a command that polls a mock service whose time passes only between two polls. */
export async function runWatch(argv: readonly string[], watching: Watching) {
  const { fish = [], withApiKey, before, between, ...options } = watching
  await using mock = await createMock({ startAt: START, seed: { users: [{ name: 'Alex', fish: { earth: fish } }] } })
  const served = await mock.serve({ port: 0 })
  onTestFinished(() => served[Symbol.asyncDispose]())
  const alex = createClient({ ...mock.client('Alex', { withApiKey: true }), gamemode: 'earth' })
  const ending = new AbortController()
  const pauses: number[] = []
  let stdout = ''
  const clock = {
    now: () => mock.clock.now(),
    async sleep(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted()
      const pause = pauses.push(ms) - 1
      if (pause > 200) throw new Error('It goes on and on.')
      await between({
        mock,
        pause,
        ms,
        stdout,
        add: (name, rarity = 1) => alex.fish.add({ name, rarity }),
        async useUp(requests) {
          for (let used = 0; used < requests; used += 1) await fetch(`${served.url}/demo/fish`)
        },
        stop: () => ending.abort(new Error('Ctrl-C')),
      })
      await mock.clock.advance(ms)
      signal?.throwIfAborted()
    },
  }
  before?.(mock)
  const result = await run(argv, {
    ...options,
    env: {
      FISH_URL: served.url,
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
  })
  const polls = mock.requests.filter(({ transport, path }) => transport === 'http' && path !== '/demo/fish')
  return { ...result, pauses, polls }
}
