// A server on Redis beside the commands alone that it sends: `npm run build && node server/bench/redis.ts [ROUNDS]
// [--json FILE]`. Starts a Redis of its own. Linux only.

import { availableParallelism } from 'node:os'
import { compare, median, type Result, readBenchArguments, report } from '../../scripts/bench/results.ts'
import { REDIS_MISSING, type RedisServer, startRedis } from '../../scripts/test-support/redis-server.ts'
import { roundTripsOf } from './counts.ts'
import { encryptPosts, get, inTurn, load } from './load.ts'
import { createUsers, type Server, type Servers, withServers } from './processes.ts'
import { type LoadSample, measureRounds, type Subject, underLoad } from './rounds.ts'

const { rounds, json } = readBenchArguments(5)

const SECRETS = { FISH_SECRET: 'a secret of a benchmark', FISH_JWT_SECRET: 'another secret, of 32 bytes or more' }
const REQUESTS = 3000
const CONNECTIONS = 32
const COUNTED = 500
/** Those before anything is measured: they load scripts and fill caches. */
const FIRST = 20
/** One to be repeated, one that a check may be due with, and two to see which arguments differ. */
const RECORDED = 4

if (REDIS_MISSING === undefined) await measure()
else {
  process.stderr.write(`Not measured: ${REDIS_MISSING}\n`)
  report([], { json })
}

async function measure(): Promise<void> {
  const redis = await startRedis()
  try {
    await withServers(async (servers) => {
      const ours = await servers.startOurs(redis.url, SECRETS)
      const requests = await createRequests(ours)
      report(
        [
          ...(await measureRoundTrips(redis, ours, requests)),
          ...(await measureThroughput(servers, redis, ours, requests)),
          await measureProcesses(servers, redis, ours, requests),
        ],
        { json },
      )
    })
  } finally {
    await redis.stop()
  }
}

type Method = 'GET' | 'POST'
type Requests = Readonly<Record<Method, () => string>>

/** A collection of 10 entries that is read, and writes to another one. */
async function createRequests(ours: Server): Promise<Requests> {
  const [reader, writer] = await createUsers(ours, ['Reader', 'Writer'])
  if (!reader || !writer) throw new Error('The users were not created.')
  const catches = await encryptPosts(reader, { count: 10 })
  await load({ port: ours.port, connections: 1, requests: catches.length, next: inTurn(catches) })
  const count = FIRST + COUNTED + RECORDED + (rounds + 1) * REQUESTS
  const posts = inTurn(await encryptPosts(writer, { count }))
  const requests = { GET: get('/get/fish?name=Reader&gamemode=earth'), POST: posts }
  for (const next of Object.values(requests)) {
    await load({ port: ours.port, connections: 1, requests: FIRST, next })
  }
  return requests
}

async function measureRoundTrips(redis: RedisServer, ours: Server, requests: Requests) {
  const results: Result[] = []
  for (const [method, next] of Object.entries(requests)) {
    results.push(
      compare({
        what: `Redis, round trips of a ${method}`,
        unit: 'round trips',
        ours: [await roundTripsOf(redis, ours, { requests: COUNTED, next })],
        beside: { limit: 1 },
        why: `How often Redis reads from its connections (INFO stats) while ${COUNTED} requests come one after the other: commands that are sent at once count as one`,
      }),
    )
  }
  return results
}

async function measureThroughput(
  { startPeer }: Servers,
  redis: RedisServer,
  ours: Server,
  requests: Requests,
): Promise<readonly Result[]> {
  const recorded = {
    GET: await record(redis, ours, requests.GET),
    POST: await record(redis, ours, requests.POST),
  }
  const peer = await startPeer('redis', [String(redis.port), JSON.stringify(recorded)])
  const pairs = (['GET', 'POST'] as const).map((method) => {
    const subjectOf = (server: Server) =>
      underLoad(server, { connections: CONNECTIONS, requests: REQUESTS, next: requests[method] })
    // The peer decrypts nothing: one token is as good as many.
    const next = () => recorded[method].request
    const beside = underLoad(peer, { connections: CONNECTIONS, requests: REQUESTS, next })
    return { method, ours: subjectOf(ours), beside }
  })
  const samplesOf = await measureRounds(
    rounds,
    pairs.flatMap((pair) => [pair.ours, pair.beside]),
  )
  return pairs.map((pair) => {
    const [sent, cpuOf] = [
      recorded[pair.method].commands.length,
      (subject: Subject<LoadSample>) => `${median(samplesOf(subject).map(({ cpu }) => cpu)).toFixed(0)} µs`,
    ]
    return compare({
      what: `Redis, ${pair.method}, throughput`,
      unit: 'a second',
      ours: samplesOf(pair.ours).map(({ perSecond }) => perSecond),
      beside: { name: 'node:http + ioredis', values: samplesOf(pair.beside).map(({ perSecond }) => perSecond) },
      goal: { atLeast: 0.6 },
      why: `Over ${CONNECTIONS} connections. The other one sends the ${sent} commands that MONITOR shows of a request, one after the other on the same Redis, and does nothing else; CPU of a request ${cpuOf(pair.ours)} against ${cpuOf(pair.beside)}`,
    })
  })
}

/** The commands of a request for the peer: texts that differ between requests are given as their length, to be new each time. */
async function record({ admin, url }: RedisServer, { port }: Server, next: () => string) {
  const monitor = await admin.monitor()
  const request = next()
  try {
    const [, first = [], second = []] = [await recordOne(), await recordOne(), await recordOne()]
    if (first.length !== second.length) throw new Error(`Requests to ${url} send different commands.`)
    const commands = first.map((command, at) =>
      command.map((text, place) => (isNew(text, second[at]?.[place]) ? text.length : text)),
    )
    return { request, commands, body: await bodyOf(port, request) }
  } finally {
    monitor.disconnect()
  }

  async function recordOne(): Promise<readonly (readonly string[])[]> {
    const commands: string[][] = []
    const marker = crypto.randomUUID()
    const isComplete = new Promise<void>((resolve) => {
      const take = (_: string, command: string[], source: string) => {
        if (command.includes(marker)) {
          monitor.off('monitor', take)
          resolve()
        } else if (source !== 'lua') commands.push(command)
      }
      monitor.on('monitor', take)
    })
    await load({ port, connections: 1, requests: 1, next })
    await admin.echo(marker)
    await isComplete
    return commands
  }
}

/** A time is left as it was: a window would not understand anything else. */
function isNew(text: string, later: string | undefined): boolean {
  return text !== later && !/^\d+$/.test(text)
}

/** What the server responds to a request, which it may have had before. */
async function bodyOf(port: number, request: string): Promise<string> {
  const [head = '', body = ''] = request.split('\r\n\r\n')
  const [start = '', ...lines] = head.split('\r\n')
  const [method = '', path = ''] = start.split(' ')
  const headers = lines
    .map((line) => line.split(': ') as [string, string])
    .filter(([name]) => !/^(?:host|content-length)$/i.test(name))
  const sent = { method, headers, ...(body ? { body } : {}) }
  return (await fetch(`http://127.0.0.1:${port}${path}`, sent)).text()
}

async function measureProcesses({ startOurs }: Servers, { url }: RedisServer, ours: Server, requests: Requests) {
  const second = await startOurs(url, SECRETS)
  const reading = (servers: readonly Server[]): Subject<number> => {
    const share = { connections: CONNECTIONS / servers.length, requests: REQUESTS / servers.length, next: requests.GET }
    return async () => {
      const loads = await Promise.all(servers.map(({ port }) => load({ port, ...share })))
      return loads.reduce((sum, { perSecond }) => sum + perSecond, 0)
    }
  }
  const [one, two] = [reading([ours]), reading([ours, second])]
  const samplesOf = await measureRounds(rounds, [one, two])
  return compare({
    what: 'Redis, GET by 2 processes, throughput',
    unit: 'a second',
    ours: samplesOf(two),
    beside: { name: '1 process', values: samplesOf(one) },
    goal: { atLeast: 1.6 },
    why: `Over ${CONNECTIONS} connections together. Redis and the load, which takes about as much CPU as a process, share the ${availableParallelism()} cores: on fewer than 4 this cannot be reached`,
  })
}
