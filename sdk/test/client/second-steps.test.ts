import { type CallOptions, type Clock, createClient, FishCrabError, type Hooks } from '@fish-crab/sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededNumbers } from '../../../scripts/test-support/seeded-numbers.ts'
import { simulateService } from '../simulation/simulated-service.ts'
import { createVirtualTime } from '../simulation/virtual-time.ts'

const WINDOW_MS = 300_000
/** Entries that exceed the size limit only after encryption, and so after the limiter has granted a permit. */
const TOO_MUCH = Array.from({ length: 500 }, () => ({ name: '🐟'.repeat(100), rarity: 1 }) as const)
const REASON = new Error('The player left.')
const MOMENTS = ['start', 'onRequest', 'onResponse', 'onRetry', 'onWait', 'time'] as const
const NETWORKS = [
  'ok',
  'ok',
  'ok',
  'request lost',
  'response lost',
  'no response',
  'unavailable',
  'broken body',
] as const

const call = fc.record({
  operation: fc.constantFrom('add', 'add', 'add too much', 'list', 'demo'),
  startsAfterMs: fc.constantFrom(0, 0, 0, 10, 1000, 200_000),
  abortsAt: fc.option(fc.constantFrom(...MOMENTS), { nil: undefined }),
  abortsAfterMs: fc.constantFrom(1, 25, 45, 2000, 250_000),
  maxWaitMs: fc.constantFrom(0, 60_000, Number.POSITIVE_INFINITY),
  pace: fc.boolean(),
})
const sequence = fc.record({
  seed: fc.nat(1000),
  calls: fc.array(call, { minLength: 1, maxLength: 40 }),
  network: fc.array(fc.constantFrom(...NETWORKS), { minLength: 1, maxLength: 12 }),
})

type Call = typeof call extends fc.Arbitrary<infer Value> ? Value : never
type Network = (typeof NETWORKS)[number]

/** Returns a fetch over an unreliable network: the items of `network`, in turn, decide the outcome of each request. */
function unreliable(network: readonly Network[], fetch: (network: Network) => typeof globalThis.fetch) {
  let sent = 0
  return async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const treatment = network[sent++ % network.length] ?? 'ok'
    if (treatment === 'no response') {
      return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
    }
    if (treatment === 'unavailable') return Response.json({ error: 'Later.', code: 'unavailable' }, { status: 503 })
    const response = await fetch(treatment)(input, init)
    if (treatment !== 'broken body') return response
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array([0x7b]))
        controller.error(new TypeError('terminated'))
      },
    })
    return new Response(body, response)
  }
}

async function play({ seed, calls, network }: typeof sequence extends fc.Arbitrary<infer Value> ? Value : never) {
  const time = createVirtualTime()
  const service = await simulateService(time)
  const connect = (treatment: Network) =>
    service.connect({
      losesRequest: () => treatment === 'request lost',
      losesAnswer: () => treatment === 'response lost',
    })
  const clock: Clock = {
    ...time.clock(),
    setTimer(ms, onEnd) {
      const cancel = new AbortController()
      time.sleep(ms, cancel.signal).then(onEnd, () => {})
      return () => cancel.abort()
    },
  }
  const reliable = connect('ok')
  const shared = {
    baseUrl: 'http://fish.test',
    user: 'Alex',
    fernetKey: service.player.fernetKey,
    gamemode: 'earth',
    env: {},
    clock,
    random: seededNumbers(seed),
    timeoutMs: 10_000,
    maxWaitMs: Number.POSITIVE_INFINITY,
  } as const
  let isReliable = false
  const lossy = unreliable(network, connect)
  const fetch: typeof globalThis.fetch = (input, init) => (isReliable ? reliable : lossy)(input, init)

  const one = async (index: number, { operation, startsAfterMs, abortsAt, abortsAfterMs, ...limits }: Call) => {
    const abort = new AbortController()
    const leave = () => abort.abort(REASON)
    const hooks: Hooks = abortsAt && abortsAt !== 'start' && abortsAt !== 'time' ? { [abortsAt]: leave } : {}
    const client = createClient({ ...shared, onWait() {}, ...hooks, fetch })
    const options: CallOptions = { signal: abort.signal, ...limits }
    await time.sleep(startsAfterMs)
    if (abortsAt === 'start') leave()
    if (abortsAt === 'time') void time.sleep(abortsAfterMs).then(leave)
    if (operation === 'demo') await client.demo.fish(options)
    else if (operation === 'list') await client.fish.list(options)
    else if (operation === 'add too much') await client.fish.add(TOO_MUCH, options)
    else await client.fish.add({ name: `Fish ${index}`, rarity: 1 }, options)
  }
  const outcomes = await time.run(Promise.allSettled(calls.map((each, index) => one(index, each))))
  isReliable = true
  const startedAt = time.now()
  // All clients share the limiter, so a permit that a call did not release would delay the next 25 calls.
  const client = createClient({ ...shared, onWait() {}, fetch })
  await time.run(Promise.all(Array.from({ length: 25 }, () => client.demo.fish())))
  const tookMs = time.now() - startedAt
  const { fish } = await time.run(client.fish.list())
  return { outcomes, tookMs, names: fish.map(({ name }) => name), served: service.served }
}

test('after any failure or abort, calls settle and release their permits, and catches are stored once', async () => {
  await fc.assert(
    fc.asyncProperty(sequence, async (given) => {
      const { outcomes, tookMs, names } = await play(given)
      for (const [index, outcome] of outcomes.entries()) {
        const reason = outcome.status === 'rejected' ? outcome.reason : undefined
        expect(reason === undefined || reason === REASON || reason instanceof FishCrabError).toBe(true)
        if (given.calls[index]?.abortsAt === 'start') expect(reason).toBe(REASON)
      }
      expect(tookMs).toBeLessThan(2 * WINDOW_MS + 10_000)
      expect(new Set(names).size).toBe(names.length)
      const acknowledged = given.calls.flatMap(({ operation }, index) =>
        operation === 'add' && outcomes[index]?.status === 'fulfilled' ? [`Fish ${index}`] : [],
      )
      expect(names).toEqual(expect.arrayContaining(acknowledged))
    }),
    { numRuns: 60 },
  )
})
