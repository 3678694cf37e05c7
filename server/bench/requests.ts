// What a request costs beside peers: `npm run bench`, or `node server/bench/requests.ts [ROUNDS] [--json FILE]` when the
// peers are installed. Linux only: CPU is that of all threads of the server's process, as the kernel counts it. In each
// round everything runs once, so that a busy moment of the machine meets all alike; a ratio is the median of the rounds'
// ratios. Every server writes its log as JSON to a pipe that is read, and counts each request against a limit.
import { join } from 'node:path'
import { HEADERS, MEDIA_TYPES } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { compare, median, type Result, readBenchArguments, report } from '../../scripts/bench/results.ts'
import { encryptPosts, get, inTurn } from './load.ts'
import { createUsers, type Server, type Servers, withServers } from './processes.ts'
import { type LoadSample, measureRounds, type Subject, underLoad } from './rounds.ts'

const { rounds, json } = readBenchArguments(5)

const POSTS_A_ROUND = 2000
const WHY = {
  cpu: "CPU time of the server's process, all threads, for a request: kept alive, logged and counted against a limit in both",
  throughput: 'Requests a second over as many connections, the load in a process of its own',
}

interface Row {
  readonly title: string
  readonly ours: Subject<LoadSample>
  /** What CPU and throughput are compared with; `goal` is the most, or the least, that the ratio may be. */
  readonly cpu: Beside
  readonly throughput?: Beside
}

interface Beside {
  readonly peer: string
  readonly subject: Subject<LoadSample>
  readonly goal: number
}

await withServers(async (servers) => {
  const rows = await openRows(servers)
  const subjects = rows.flatMap(({ ours, cpu, throughput }) => [
    ours,
    cpu.subject,
    ...(throughput ? [throughput.subject] : []),
  ])
  const samplesOf = await measureRounds(rounds, subjects)
  report(
    rows.flatMap((row) => resultsOf(row, samplesOf)),
    { json },
  )
})

async function openRows({ folder, startOurs, startPeer }: Servers): Promise<readonly Row[]> {
  const ours = await startOurs(`file:${join(folder, 'data')}`)
  const [reader, writer] = await createUsers(ours, ['Reader', 'Writer'])
  if (!reader || !writer) throw new Error('The users were not created.')
  const catches = Array.from({ length: 10 }, (_, index) => ({ name: `Fish ${index}`, rarity: 1 }))
  await fetch(`http://127.0.0.1:${ours.port}/post/fish?name=Reader`, {
    method: 'POST',
    headers: { [HEADERS.gamemode]: 'earth', 'content-type': MEDIA_TYPES.token },
    body: await createFernet(reader.fernetKey).encrypt(JSON.stringify({ fish: catches })),
  })
  const [bare, fastify, express, parts] = await Promise.all([
    startPeer('bare'),
    startPeer('fastify'),
    startPeer('express'),
    startPeer('parts', [folder, writer.fernetKey]),
  ])

  const reading = (server: Server, next: () => string) => underLoad(server, { connections: 8, requests: 5000, next })
  const read = (title: string, path: string): readonly Row[] => {
    const next = get(path)
    const row = { title, ours: reading(ours, next) }
    return [
      {
        ...row,
        cpu: { peer: 'fastify', subject: reading(fastify, next), goal: 1.3 },
        throughput: { peer: 'node:http', subject: reading(bare, next), goal: 0.75 },
      },
      { ...row, cpu: { peer: 'express', subject: reading(express, next), goal: 1.3 } },
    ]
  }
  const trivial = reading(ours, get('/status'))
  const collection = '/get/fish?name=Reader&gamemode=earth'
  const { headers } = await fetch(`http://127.0.0.1:${ours.port}${collection}`)
  // Each server gets the same ones, none of them twice, also in the round that warms up.
  const posts = await encryptPosts(writer, { count: (rounds + 1) * POSTS_A_ROUND })
  const writing = (server: Server) =>
    underLoad(server, { connections: 64, requests: POSTS_A_ROUND, next: inTurn(posts) })
  const partsUnderLoad = writing(parts)
  return [
    ...read('GET /status', '/status'),
    ...read('GET /demo/fish', '/demo/fish'),
    ...read('GET /get/fish, 10 entries', collection),
    {
      title: 'GET /get/fish, 10 entries, unchanged',
      ours: reading(ours, get(collection, { 'If-None-Match': headers.get('etag') ?? '' })),
      cpu: { peer: 'GET /status', subject: trivial, goal: 1.2 },
    },
    {
      title: 'GET /get/user/key, verified before',
      ours: reading(
        ours,
        get('/get/user/key', { Authorization: `Basic ${btoa(`${reader.name}:${reader.password}`)}` }),
      ),
      cpu: { peer: 'GET /status', subject: trivial, goal: 2 },
    },
    {
      title: 'durable POST',
      ours: writing(ours),
      cpu: { peer: 'its parts', subject: partsUnderLoad, goal: 1.6 },
      throughput: { peer: 'its parts', subject: partsUnderLoad, goal: 0.7 },
    },
  ]
}

function resultsOf(row: Row, samplesOf: (subject: Subject<LoadSample>) => readonly LoadSample[]): readonly Result[] {
  const ours = samplesOf(row.ours)
  const latency = (pick: (sample: LoadSample) => number) => `${median(ours.map(pick)).toFixed(1)} ms`
  const [p50, p99] = [latency((sample) => sample.p50), latency((sample) => sample.p99)]
  const results: Result[] = [
    compare({
      what: `${row.title}, CPU`,
      unit: 'µs',
      ours: ours.map((sample) => sample.cpu),
      beside: { name: row.cpu.peer, values: samplesOf(row.cpu.subject).map((sample) => sample.cpu) },
      goal: { atMost: row.cpu.goal },
      why: WHY.cpu,
    }),
  ]
  if (row.throughput) {
    const { peer, subject, goal } = row.throughput
    results.push(
      compare({
        what: `${row.title}, throughput`,
        unit: 'a second',
        ours: ours.map(({ perSecond }) => perSecond),
        beside: { name: peer, values: samplesOf(subject).map(({ perSecond }) => perSecond) },
        goal: { atLeast: goal },
        why: `${WHY.throughput}; the median response takes ${p50}, the 99th percentile ${p99}`,
      }),
    )
  }
  return results
}
