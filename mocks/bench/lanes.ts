/**
 * What the lanes cost, as ratios in one run: the direct lane, and MSW with a mock's handlers beside MSW with a
 * handler that answers the same bytes. Prints medians of many rounds.
 *
 *   npm run build && node mocks/bench/lanes.ts
 */
import { createMock } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { http } from 'msw'
import { setupServer } from 'msw/node'

const ROUNDS = 20
const REQUESTS = 100
const SEED = { users: [{ name: 'Alex', fish: { earth: [{ name: 'Salmon', rarity: 'gold' }] } }] } as const
const WINDOWS_OF_A_YEAR = 105_120

const microseconds = (value: number) => `${value.toFixed(1)} µs`
const median = (values: number[]) => values.sort((one, other) => one - other)[values.length >> 1] ?? Number.NaN

async function perRequest(send: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  for (let count = 0; count < REQUESTS; count += 1) await send()
  return ((performance.now() - start) * 1000) / REQUESTS
}

/** Rounds of all contenders take turns, so that a slow moment of the machine hits all alike. */
async function compare(contenders: Record<string, () => Promise<unknown>>): Promise<Record<string, number>> {
  const times = new Map(Object.keys(contenders).map((name) => [name, [] as number[]]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, send] of Object.entries(contenders)) {
      const time = await perRequest(send)
      if (round >= ROUNDS / 4) times.get(name)?.push(time)
    }
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)]))
}

const lines: string[] = []
const mock = await createMock({ seed: SEED, limits: { requests: 1e9 } })
const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
const path = '/get/fish?name=Alex&gamemode=earth'
const direct = await compare({
  'GET /status': () => mock.fetch('/status').then((response) => response.text()),
  'GET /get/fish': () => mock.fetch(path).then((response) => response.text()),
  'the SDK lists': () => client.fish.list(),
  'the SDK adds': () => client.fish.add({ name: 'Salmon', rarity: 'gold' }, { gamemode: 'survival' }),
})
for (const [name, time] of Object.entries(direct)) lines.push(`direct lane, ${name}: ${microseconds(time)}`)

const fixed = 'http://static.test'
const model = await mock.fetch(path)
const [body, headers] = [await model.text(), Object.fromEntries(model.headers)]
const network = setupServer(
  ...mock.handlers(),
  http.all(`${fixed}/*`, () => new Response(body, { headers })),
)
network.listen()
const through = await compare({
  'a static handler': () => fetch(fixed + path).then((response) => response.text()),
  "the mock's handlers": () => fetch(mock.origin + path).then((response) => response.text()),
})
network.close()
for (const [name, time] of Object.entries(through)) lines.push(`MSW, ${name}: ${microseconds(time)}`)
const ratio = (through["the mock's handlers"] ?? 0) / (through['a static handler'] ?? 1)
lines.push(`MSW, the mock beside the static handler: ${ratio.toFixed(3)}`)

const year = await createMock({ startAt: Date.UTC(2026, 0, 1) })
const start = performance.now()
for (let count = 0; count < WINDOWS_OF_A_YEAR; count += 1) {
  await year.fetch('/status')
  year.clock.advance(300_000)
}
lines.push(`a year of windows (${WINDOWS_OF_A_YEAR}): ${((performance.now() - start) / 1000).toFixed(2)} s`)

process.stdout.write(`${lines.join('\n')}\n`)
