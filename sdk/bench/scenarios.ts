import { createApp, createMemoryStorage } from '@fish-crab/server/app'
import { seededNumbers } from '../../scripts/test-support/seeded-numbers.ts'
import type { Contender } from './contenders.ts'
import { virtually } from './virtual-run.ts'

/** The conditions of a run: the client's clock, the network, and other clients. */
export interface Scenario {
  readonly name: string
  readonly wrongByMs?: number
  /** The one-way latency in milliseconds. */
  readonly latencyMs?: (random: () => number) => number
  readonly lostResponses?: number
  /** Calls of another process with the same address, one call every `everyMs` on average. */
  readonly others?: { readonly calls: number; readonly everyMs: number }
}

/** The result of a run. */
export interface Outcome {
  readonly succeeded: number
  readonly requests: number
  readonly refused: number
  /** The milliseconds from the last reset to the last request, or `undefined` if a call failed. */
  readonly lastAfterResetMs: number | undefined
}

const CALLS = 100
// The run stops at this number, because a client that sends so many requests would never stop by itself.
const ENOUGH_REQUESTS = 5000
const HOUR_MS = 3_600_000

export const SCENARIOS: readonly Scenario[] = [
  { name: '100 calls at once, 25 per 300 s' },
  { name: 'its clock an hour ahead', wrongByMs: HOUR_MS },
  { name: 'its clock an hour behind', wrongByMs: -HOUR_MS },
  { name: 'responses out of order', latencyMs: (random) => random() * 2000 },
  { name: '10 % of responses lost', lostResponses: 0.1 },
  { name: 'a second process on the budget', others: { calls: 60, everyMs: 15_000 } },
]

/** Starts 100 calls at once and counts the outcomes. */
export async function play(contender: Contender, scenario: Scenario, seed: number): Promise<Outcome> {
  const random = seededNumbers(seed)
  const { wrongByMs = 0, latencyMs = () => 25, lostResponses = 0, others } = scenario
  const served: { at: number; status: number; reset: number }[] = []
  let succeeded = 0
  let stop = () => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  await virtually(wrongByMs, HOUR_MS, async (now) => {
    const app = createApp({
      storage: createMemoryStorage(),
      secrets: { encryption: 'encryption '.repeat(8), session: 'session '.repeat(8) },
      passwords: { hash: async (password) => password, verify: async (password, hash) => password === hash },
      version: 'bench',
      clientAddress: () => '192.0.2.1',
      clock: now,
    })
    const connect =
      (counted: boolean): typeof fetch =>
      async (input, init) => {
        await pause(latencyMs(random))
        const response = await app.fetch(new Request(input, init))
        const reset = Number(response.headers.get('x-ratelimit-reset')) * 1000
        if (counted) served.push({ at: now(), status: response.status, reset })
        if (served.length >= ENOUGH_REQUESTS) stop()
        response.headers.set('date', new Date(now()).toUTCString())
        await pause(latencyMs(random))
        if (counted && random() < lostResponses) throw new TypeError('fetch failed')
        return response
      }
    const call = contender.open(connect(true))
    const calls = Array.from({ length: CALLS }, () =>
      call().then(
        () => {
          succeeded += 1
        },
        () => {},
      ),
    )
    const other = async () => {
      for (let each = 0; each < (others?.calls ?? 0); each++) {
        await pause(random() * (others?.everyMs ?? 0) * 2)
        await connect(false)('http://fish.test/demo/crab')
      }
    }
    await Promise.race([stopped, Promise.all([...calls, other()])])
  })
  const refused = served.filter(({ status }) => status === 429)
  const resets = [...new Set(served.map(({ reset }) => reset))].sort()
  const last = served.at(-1)?.at ?? 0
  return {
    succeeded,
    requests: served.length,
    refused: refused.length,
    lastAfterResetMs: succeeded === CALLS ? last - (resets.at(-2) ?? last) : undefined,
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
