// Compares the cost of requests to other servers: `npm run bench`, or `node server/bench/requests.ts [ROUNDS]` if the
// packages of these peers are installed. Fastify, Express and our server write a JSON log to a pipe, and count each
// request for the rate limit.
import { join } from 'node:path'
import { compare, measureRounds, type Result, readRounds, report } from '../../scripts/bench/results.ts'
import { encryptPosts, get, inTurn, type LoadSample, load, underLoad } from './load.ts'
import { createUsers, type Server, type Servers, withServers } from './processes.ts'

const rounds = readRounds(5)
const POSTS_A_ROUND = 2000

interface Row {
  readonly title: string
  readonly ours: () => Promise<LoadSample>
  readonly peer: string
  readonly beside: () => Promise<LoadSample>
  /** The maximum ratio of CPU time, and the minimum ratio of throughput. */
  readonly goals: { readonly cpu?: number; readonly throughput?: number }
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
      const results: Result[] = []
      if (cpu) results.push(compare({ what: `${title}, CPU`, unit: 'µs', ...row('cpu'), goal: { atMost: cpu } }))
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
  const [reader, writer] = await createUsers(ours, ['Reader', 'Writer'])
  if (!reader || !writer) throw new Error('The users were not created.')
  const catches = inTurn(await encryptPosts(reader, { count: 1, catches: 10 }))
  await load({ port: ours.port, connections: 1, requests: 1, next: catches })
  const [fastify, express] = await Promise.all(['fastify', 'express'].map((kind) => startPeer(kind)))
  const parts = await startPeer('parts', [folder, writer.fernetKey])
  if (!fastify || !express) throw new Error('The peers were not started.')

  const reading = (server: Server, next: () => string) => underLoad(server, { connections: 8, requests: 5000, next })
  const collection = '/get/fish?name=Reader&gamemode=earth'
  const { headers } = await fetch(`http://127.0.0.1:${ours.port}${collection}`)
  const unchanged = get(collection, { 'If-None-Match': headers.get('etag') ?? '' })
  const authorization = { Authorization: `Basic ${btoa(`${reader.name}:${reader.password}`)}` }
  const trivial = reading(ours, get('/status'))
  // In a GET of 10 entries, Node's write to the socket takes 40 % of the time. The rest is h3's routing, a log line,
  // the rate limit, the lookup of the user and the version, and metrics of three storage operations. The peers have
  // only the log line and the rate limit.
  const reads = [
    { title: 'GET /status', next: get('/status'), cpu: 1.5, throughput: 0.6 },
    { title: 'GET /demo/fish', next: get('/demo/fish'), cpu: 1.3, throughput: 0.7 },
    { title: 'GET of 10 entries', next: get(collection), cpu: 1.7, throughput: 0.6 },
  ]
  // Both servers get the same tokens, each token once. The warm-up round uses its own tokens.
  const posts = await encryptPosts(writer, { count: (rounds + 1) * POSTS_A_ROUND })
  const writing = (server: Server) =>
    underLoad(server, { connections: 64, requests: POSTS_A_ROUND, next: inTurn(posts) })
  return [
    ...reads.flatMap(({ title, next, cpu, throughput }) => {
      const row = { title, ours: reading(ours, next) }
      return [
        { ...row, peer: 'fastify', beside: reading(fastify, next), goals: { cpu, throughput } },
        { ...row, peer: 'express', beside: reading(express, next), goals: { cpu: 1.2 } },
      ]
    }),
    {
      title: 'GET of 10 entries, unchanged',
      ours: reading(ours, unchanged),
      ...{ peer: 'GET /status', beside: trivial, goals: { cpu: 1.2 } },
    },
    {
      // Before the server sends the key, it flushes an entry of the audit log to the disk.
      title: 'GET /get/user/key, verified before',
      ours: reading(ours, get('/get/user/key', authorization)),
      ...{ peer: 'GET /status', beside: trivial, goals: { cpu: 3.5 } },
    },
    {
      title: 'durable POST',
      ours: writing(ours),
      ...{ peer: 'its parts', beside: writing(parts), goals: { cpu: 2, throughput: 0.7 } },
    },
  ]
}
