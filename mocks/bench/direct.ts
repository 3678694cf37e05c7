// Measures requests to a mock in the same process, without MSW: `npm run build && node mocks/bench/direct.ts [ROUNDS]`.
import { createMock } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { compare, measureRounds, readRounds, report } from '../../scripts/bench/results.ts'

const REQUESTS_PER_ROUND = 2000

const mock = await createMock({
  seed: { users: [{ name: 'Alex', fish: { earth: [{ name: 'Salmon', rarity: 'gold' }] } }] },
  limits: { requests: 1e9 },
})
const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
const get = async (path: string) => (await mock.fetch(path)).text()

/** Measures the microseconds of CPU time per request. */
function costOf(send: () => Promise<unknown>) {
  return async () => {
    const before = process.cpuUsage()
    for (let count = 0; count < REQUESTS_PER_ROUND; count += 1) await send()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / REQUESTS_PER_ROUND
  }
}

const ROWS = [
  { title: 'GET /status', run: costOf(() => get('/status')), limit: 50 },
  { title: 'GET of one entry', run: costOf(() => get('/get/fish?name=Alex&gamemode=earth')), limit: 60 },
  { title: 'the client lists', run: costOf(() => client.fish.list()), limit: 120 },
  {
    title: 'the client adds',
    run: costOf(() => client.fish.add({ name: 'Salmon', rarity: 'gold' }, { gamemode: 'survival' })),
    limit: 200,
  },
]
const samplesOf = await measureRounds(
  readRounds(9),
  ROWS.map(({ run }) => run),
)
report(
  ROWS.map(({ title, run, limit }) =>
    compare({ what: `mock, direct: ${title}`, unit: 'µs', ours: samplesOf(run), beside: { limit } }),
  ),
)
await mock.close()
