// Measures the latency of other clients while a crowd of clients sends the most expensive requests that need no key:
// `npm run build && node server/bench/crowd.ts [ROUNDS]`. This benchmark runs on Linux only, since each client has its
// own loopback address.
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { EVENT_STREAM, type User } from '@fish-crab/sdk/contract'
import { compare, type Result, readRounds, report } from '../../scripts/bench/results.ts'
import { REDIS_MISSING, startRedis } from '../../scripts/test-support/redis-server.ts'
import { encryptPosts, get, inTurn, type Load, load } from './load.ts'
import { createUsers, SECRETS, type Server, type Servers, withServers } from './processes.ts'

const rounds = readRounds(3)

const CLIENTS = 4
/** The server's maximum per client. */
const CONNECTIONS_OF_A_CLIENT = 10
const ENTRIES = 75_000
const ENTRIES_OF_A_POST = 500
/** Characters of the longest names of which a post of 500 has room: its token must not exceed 256 KiB. */
const LONGEST_NAME = 84
const MEASURED_MS = 5000
const WARM_REQUESTS = 2000
const LIMIT_MS = 100
const COLLECTION = 'name=Rich&gamemode=earth'

/**
 * Requests of the crowd. The crowd reads entries with the longest names. Meanwhile, the measured client reads 10
 * entries.
 */
type Expensive = 'event streams from the first catch' | 'whole collections'

if (isMainThread) await measureAll()
else beACrowd(workerData as Crowd)

async function measureAll(): Promise<void> {
  await withServers(async (servers) => {
    const results = await measure('file', await servers.startOurs(`file:${join(servers.folder, 'data')}`))
    if (REDIS_MISSING === undefined) results.push(...(await measureRedis(servers)))
    else process.stderr.write(`Redis is not measured: ${REDIS_MISSING}\n`)
    report(results)
  })
}

async function measureRedis(servers: Servers): Promise<Result[]> {
  await using redis = await startRedis()
  return await measure('Redis', await servers.startOurs(redis.url, SECRETS))
}

async function measure(storage: string, server: Server): Promise<Result[]> {
  await seed(server)
  const firstId = await firstEventId(server)
  const others = get('/get/fish?name=Other&gamemode=earth')
  await load({ port: server.port, connections: 2, requests: WARM_REQUESTS, next: others })
  const requests: Readonly<Record<Expensive, () => string>> = {
    'event streams from the first catch': get(`/events?${COLLECTION}&kind=fish&follow=false`, {
      [EVENT_STREAM.lastEventId]: firstId,
    }),
    'whole collections': get(`/get/fish?${COLLECTION}&detail=full`),
  }
  const results: Result[] = []
  for (const [what, expensive] of Object.entries(requests)) {
    const samples: Load[] = []
    for (let round = 0; round < rounds; round += 1) samples.push(await beside(server, expensive, others))
    results.push(
      compare({
        what: `${storage}, others' 99th percentile beside ${CLIENTS * CONNECTIONS_OF_A_CLIENT} ${what}`,
        unit: 'ms',
        ours: samples.map(({ p99 }) => p99),
        beside: { limit: LIMIT_MS },
      }),
    )
  }
  return results
}

async function seed(server: Server): Promise<void> {
  const [rich, other] = await createUsers(server, ['Rich', 'Other'])
  const fish = (user: Pick<User, 'name'> & { readonly fernetKey: string }, count: number, catches?: number) =>
    encryptPosts(user, { count, ...(catches === undefined ? {} : { catches, nameLength: LONGEST_NAME }) })
  if (!rich || !other) throw new Error('The users were not created.')
  const posts = [...(await fish(other, 10)), ...(await fish(rich, ENTRIES / ENTRIES_OF_A_POST, ENTRIES_OF_A_POST))]
  await load({ port: server.port, connections: 1, requests: posts.length, next: inTurn(posts) })
}

/** Forges the id of an event before the first event: an id without positions. */
async function firstEventId({ port }: Server): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/events?${COLLECTION}&kind=fish&follow=false`)
  const [, tag = ''] = /^id: ([^-\n]+)/m.exec(await response.text()) ?? []
  return tag
}

async function beside({ port }: Server, expensive: () => string, others: () => string): Promise<Load> {
  // The crowd runs in a separate thread, so that the crowd does not slow down the measured client.
  const crowd = new Worker(fileURLToPath(import.meta.url), {
    workerData: { port, request: expensive() } satisfies Crowd,
  })
  await once(crowd, 'message')
  const endsAt = performance.now() + MEASURED_MS
  const goesOn = () => performance.now() < endsAt
  return load({ port, connections: 2, requests: Number.POSITIVE_INFINITY, next: others, goesOn }).finally(() =>
    crowd.terminate(),
  )
}

interface Crowd {
  readonly port: number
  readonly request: string
}

/**
 * Sends the request repeatedly, each time over a new connection, and reads responses as fast as the server sends them.
 */
function beACrowd({ port, request }: Crowd): void {
  for (let at = 0; at < CLIENTS * CONNECTIONS_OF_A_CLIENT; at += 1) {
    const send = () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (at % CLIENTS)}` })
      socket.write(request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
      socket.once('data', () => parentPort?.postMessage('reading'))
      socket
        .resume()
        .on('error', () => {})
        .once('close', send)
    }
    send()
  }
}
