// Compares the cost of requests to the twin, the same service written on fastify: `npm run bench`, or
// `node server/bench/requests.ts [ROUNDS]` if the packages of the twin are installed. Both servers write a JSON log to
// a pipe.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compare, measureRounds, type Result, readRounds, report } from '../../scripts/bench/results.ts'
import { requireEqual } from './equality.ts'
import { encryptPosts, get, inTurn, type LoadSample, load, underLoad } from './load.ts'
import { createUsers, type Server, type Servers, withServers } from './processes.ts'

const rounds = readRounds(5)
// The warm-up round is long enough for the compilation of both servers.
const POSTS_A_ROUND = 6000

interface Row {
  readonly title: string
  readonly ours: () => Promise<LoadSample>
  readonly peer: string
  readonly beside: () => Promise<LoadSample>
  /** The maximum ratio of CPU time, and the minimum ratio of throughput. */
  readonly goals: { readonly cpu: number; readonly throughput?: number }
}

await withServers(async (servers) => {
  const rows = await openRows(servers)
  const samplesOf = await measureRounds(
    rounds,
    rows.flatMap(({ ours, beside }) => [ours, beside]),
  )
  report(
    rows.flatMap(({ title, ours, peer, beside, goals: { cpu, throughput } }) => {
      const row = (figure: 'cpu' | 'perSecond') => ({
        ours: samplesOf(ours).map((sample) => sample[figure]),
        beside: { name: peer, values: samplesOf(beside).map((sample) => sample[figure]) },
      })
      const results: Result[] = [compare({ what: `${title}, CPU`, unit: 'µs', ...row('cpu'), goal: { atMost: cpu } })]
      if (throughput) {
        const goal = { atLeast: throughput }
        results.push(compare({ what: `${title}, throughput`, unit: 'a second', ...row('perSecond'), goal }))
      }
      return results
    }),
  )
})

async function openRows({ folder, startOurs, startPeer }: Servers): Promise<readonly Row[]> {
  const ours = await startOurs(`file:${join(folder, 'data')}`)
  const users = await createUsers(ours, ['Reader', 'Writer', 'Checker'])
  const [reader, writer, checker] = users
  if (!reader || !writer || !checker) throw new Error('The users were not created.')
  const file = join(folder, 'users.json')
  writeFileSync(file, JSON.stringify(users))
  const twin = await startPeer('twin', [folder, file])
  await requireEqual(ours, twin, checker)

  const catches = await encryptPosts(reader, { count: 1, catches: 10 })
  for (const { port } of [ours, twin]) await load({ port, connections: 1, requests: 1, next: inTurn(catches) })
  const reading = (server: Server, next: () => string) => underLoad(server, { connections: 8, requests: 5000, next })
  const path = '/get/fish?name=Reader&gamemode=earth'
  const unchanged = async ({ port }: Server) => {
    const { headers } = await fetch(`http://127.0.0.1:${port}${path}`)
    return get(path, { 'If-None-Match': headers.get('etag') ?? '' })
  }
  const authorization = { Authorization: `Basic ${btoa(`${reader.name}:${reader.password}`)}` }
  const trivial = reading(ours, get('/status'))
  // Both servers get the same tokens, each token once. The warm-up round uses its own tokens.
  const posts = await encryptPosts(writer, { count: (rounds + 1) * POSTS_A_ROUND })
  const writing = (server: Server) =>
    underLoad(server, { connections: 64, requests: POSTS_A_ROUND, next: inTurn(posts) })
  const withKey = get(path, { 'x-api-key': reader.apiKey })
  const rows = [
    { title: 'GET /status', of: (server: Server) => reading(server, get('/status')), cpu: 1 },
    { title: 'GET /demo/fish', of: (server: Server) => reading(server, get('/demo/fish')), cpu: 1 },
    { title: 'GET of 10 entries', of: (server: Server) => reading(server, get(path)), cpu: 0.9 },
    { title: 'GET of 10 entries with an API key', of: (server: Server) => reading(server, withKey), cpu: 1 },
    { title: 'durable POST', of: writing, cpu: 0.9 },
  ]
  return [
    ...rows.map(({ title, of, cpu }) => ({
      title,
      ours: of(ours),
      ...{ peer: 'the twin', beside: of(twin), goals: { cpu, throughput: 1 } },
    })),
    {
      title: 'GET of 10 entries, unchanged',
      ours: reading(ours, await unchanged(ours)),
      ...{ peer: 'the twin', beside: reading(twin, await unchanged(twin)), goals: { cpu: 1, throughput: 1 } },
    },
    {
      // Before the server sends the key, it flushes an entry of the audit log to the disk.
      title: 'GET /get/user/key, verified before',
      ours: reading(ours, get('/get/user/key', authorization)),
      ...{ peer: 'GET /status', beside: trivial, goals: { cpu: 1.5 } },
    },
  ]
}
