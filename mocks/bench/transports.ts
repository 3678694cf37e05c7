/**
 * The cost of the transports: direct, and MSW with the handlers of a mock compared to MSW with a static handler that
 * returns the same bytes. A ratio is computed within its round.
 *
 *   npm run build && node mocks/bench/transports.ts [ROUNDS] [--json FILE]
 */
import { createMock } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import { compare, type Result, readBenchArguments, report } from '../../scripts/bench/results.ts'

const { rounds, json } = readBenchArguments(240)
const REQUESTS = 15
const SEED = { users: [{ name: 'Alex', fish: { earth: [{ name: 'Salmon', rarity: 'gold' }] } }] } as const
const WINDOWS_OF_A_YEAR = 105_120
const DIRECT_LIMIT_US = 50
const YEAR_LIMIT_S = 60

async function perRequest(send: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  for (let count = 0; count < REQUESTS; count += 1) await send()
  return ((performance.now() - start) * 1000) / REQUESTS
}

/** Alternates between the candidates, so that slow moments of the machine affect all. @returns the times of each */
async function timeAll(contenders: Record<string, () => Promise<unknown>>): Promise<Map<string, number[]>> {
  const times = new Map(Object.keys(contenders).map((name) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round += 1) {
    const inTurn = Object.entries(contenders)
    // The later candidates pay for the garbage of the earlier ones.
    for (const [name, send] of round % 2 === 0 ? inTurn : inTurn.toReversed()) {
      const time = await perRequest(send)
      if (round >= rounds / 4) times.get(name)?.push(time)
    }
  }
  return times
}

const results: Result[] = []
const mock = await createMock({ seed: SEED, limits: { requests: 1e9 } })
const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
const PATHS = { '/status': '/status', '/get/fish': '/get/fish?name=Alex&gamemode=earth' } as const
const read = async (response: Promise<Response>) => (await response).text()

const direct = await timeAll({
  'GET /status': () => read(mock.fetch(PATHS['/status'])),
  'GET /get/fish': () => read(mock.fetch(PATHS['/get/fish'])),
  'the SDK lists': () => client.fish.list(),
  'the SDK adds': () => client.fish.add({ name: 'Salmon', rarity: 'gold' }, { gamemode: 'survival' }),
})
for (const [name, ours] of direct) {
  const why = 'A request to a mock in the same process, without MSW'
  results.push(compare({ what: `mock, direct: ${name}`, unit: 'µs', ours, beside: { limit: DIRECT_LIMIT_US }, why }))
}

// The mock's handler is first, so the cost of the static one includes its lookup.
for (const [name, path] of Object.entries(PATHS)) {
  const fixed = 'http://static.test'
  const model = await mock.fetch(path)
  const [body, headers] = [await model.text(), Object.fromEntries(model.headers)]
  const network = setupServer(
    ...mock.handlers(),
    http.all(`${fixed}/*`, () => new Response(body, { headers })),
  )
  network.listen()
  const through = await timeAll({
    still: () => read(fetch(fixed + path)),
    mocked: () => read(fetch(mock.origin + path)),
  })
  network.close()
  const [still = [], mocked = []] = through.values()
  results.push(
    compare({
      what: `mock through MSW: ${name}`,
      unit: 'µs',
      ours: mocked,
      beside: { name: 'a static handler', values: still },
      goal: { atMost: 1.15 },
      why: 'The same bytes through the same interceptor; the static handler is looked up behind those of the mock',
    }),
  )
}

const year = await createMock({ startAt: Date.UTC(2026, 0, 1) })
const start = performance.now()
for (let count = 0; count < WINDOWS_OF_A_YEAR; count += 1) {
  await year.fetch('/status')
  await year.clock.advance(300_000)
}
results.push(
  compare({
    what: `mock, a year of windows (${WINDOWS_OF_A_YEAR})`,
    unit: 's',
    ours: [(performance.now() - start) / 1000],
    beside: { limit: YEAR_LIMIT_S },
    why: 'A request and an advance of the clock for each window',
  }),
)
report(results, { json })
