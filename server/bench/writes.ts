// Measures writes to a slow disk, to large collections and to Redis: `npm run build && node server/bench/writes.ts
// [ROUNDS]`. Simulating a slow disk needs a C compiler.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CreatedUser, GAMEMODES, KINDS } from '@fish-crab/sdk/contract'
import { compare, measureRounds, type Result, readRounds, report } from '../../scripts/bench/results.ts'
import { REDIS_MISSING, startRedis } from '../../scripts/test-support/redis-server.ts'
import { encryptPosts, get, inTurn, load, underLoad } from './load.ts'
import { createUsers, SECRETS, type Server, type Servers, stop, withServers } from './processes.ts'
import { addCatches, seedStore } from './seed.ts'

const rounds = readRounds(5)

const SLOW_SYNC = fileURLToPath(new URL('../../scripts/test-support/fixtures/stalled-sync.c', import.meta.url))
const FLUSH_MS = 5
const CONNECTIONS = 64
const POSTS_A_ROUND = 4000
/** The writes per second if each fsync commits one write of every connection and everything else takes no time. */
const SYNC_LIMIT = { limit: CONNECTIONS / (FLUSH_MS / 1000) }
const MAX_READ_MS = 30
const COUNTED = 500
/** The first round trip counts the request and reads the user. The second round trip reads the version, or writes. */
const ROUND_TRIPS = 2

await withServers(async (servers) => {
  report([...(await slowDisk(servers)), await largeCollection(servers), ...(await redisWrites(servers))])
})

async function slowDisk(servers: Servers): Promise<readonly Result[]> {
  const library = join(servers.folder, 'slow-sync.so')
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, SLOW_SYNC, '-ldl'], { stdio: 'inherit' })
  const env = { LD_PRELOAD: library, FISH_FLUSH_US: String(1000 * FLUSH_MS) }
  const { port, ...ours } = await servers.startOurs(`file:${join(servers.folder, 'slow')}`, env)
  // Each connection has its own collection.
  const names = Array.from({ length: CONNECTIONS / KINDS.length / GAMEMODES.length }, (_, index) => `Writer${index}`)
  const users = await createUsers({ port, ...ours }, names)
  const next = inTurn(await postsToCollections(users, 2 * (rounds + 1) * POSTS_A_ROUND))
  const writing = { connections: CONNECTIONS, requests: POSTS_A_ROUND, next }
  const writes = underLoad({ port, ...ours }, writing)
  const reads = async () => {
    let isWriting = true
    const written = load({ port, ...writing }).finally(() => {
      isWriting = false
    })
    const path = get('/get/fish?name=Writer0&gamemode=earth&limit=10')
    const readers = { connections: 4, requests: Number.POSITIVE_INFINITY, next: path, isRunning: () => isWriting }
    const [sample] = await Promise.all([load({ port, ...readers }), written])
    return { ...sample, cpu: Number.NaN, memory: Number.NaN }
  }
  const samplesOf = await measureRounds(rounds, [writes, reads])
  return [
    compare({
      what: `durable POST, every fsync ${FLUSH_MS} ms slower`,
      unit: 'a second',
      ours: samplesOf(writes).map(({ perSecond }) => perSecond),
      beside: SYNC_LIMIT,
      // In addition to the flush, 64 writes take 6 ms in the writer's thread and 12 ms in the main thread. The clients
      // of the benchmark share the two cores.
      goal: { atLeast: 0.18 },
    }),
    compare({
      what: `GET while ${CONNECTIONS} connections write so, p99`,
      unit: 'ms',
      ours: samplesOf(reads).map(({ p99 }) => p99),
      beside: { limit: MAX_READ_MS },
    }),
  ]
}

/** Prepares writes that go to the collections in turn, the same number to each collection. */
async function postsToCollections(users: readonly CreatedUser[], count: number): Promise<readonly string[]> {
  const collections = users.flatMap((user) =>
    KINDS.flatMap((kind) => GAMEMODES.map((gamemode) => ({ user, kind, gamemode }))),
  )
  const each = Math.ceil(count / collections.length)
  const ofEach = await Promise.all(
    collections.map(({ user, ...options }) => encryptPosts(user, { ...options, count: each })),
  )
  return Array.from({ length: each }, (_, at) => ofEach.map((posts) => posts[at] ?? '')).flat()
}

async function largeCollection(servers: Servers): Promise<Result> {
  const folder = join(servers.folder, 'collections')
  const first = await servers.startOurs(`file:${folder}`)
  // Each round has a separate small collection, so that no small collection grows large.
  const names = Array.from({ length: rounds + 1 }, (_, round) => `Small${round}`)
  const [large, ...small] = await createUsers(first, ['Large', ...names])
  if (!large) throw new Error('The users were not created.')
  await stop(first)
  await seedStore(folder, async (storage) => {
    for (const { id } of small) await addCatches(storage, id, 10)
    await addCatches(storage, large.id, 100_000)
  })
  const ours = await servers.startOurs(`file:${folder}`)
  const writing = async (users: readonly CreatedUser[]) => {
    const count = ((rounds + 1) / users.length) * 1000
    const posts = await Promise.all(users.map((user) => encryptPosts(user, { count })))
    return underLoad(ours, { connections: CONNECTIONS, requests: 1000, next: inTurn(posts.flat()) })
  }
  const [toSmall, toLarge] = [await writing(small), await writing([large])]
  const samplesOf = await measureRounds(rounds, [toSmall, toLarge])
  return compare({
    what: 'POST to 100,000 entries, CPU',
    unit: 'µs',
    ours: samplesOf(toLarge).map(({ cpu }) => cpu),
    beside: { name: '10 entries', values: samplesOf(toSmall).map(({ cpu }) => cpu) },
    goal: { atMost: 1.3 },
  })
}

async function redisWrites(servers: Servers): Promise<readonly Result[]> {
  if (REDIS_MISSING !== undefined) {
    process.stderr.write(`Redis is not measured: ${REDIS_MISSING}\n`)
    return []
  }
  await using redis = await startRedis()
  const count = (rounds + 1) * POSTS_A_ROUND + COUNTED
  const writing = async (server: Server) => {
    const [user] = await createUsers(server, ['Writer'])
    if (!user) throw new Error('The user was not created.')
    const next = inTurn(await encryptPosts(user, { count }))
    return { next, load: underLoad(server, { connections: CONNECTIONS, requests: POSTS_A_ROUND, next }) }
  }
  const server = await servers.startOurs(redis.url, SECRETS)
  const ours = await writing(server)
  const file = await writing(await servers.startOurs(`file:${join(servers.folder, 'beside-redis')}`))
  const samplesOf = await measureRounds(rounds, [ours.load, file.load])
  // Redis counts commands that arrive together as one read, so the number of reads is the number of round trips.
  const reads = async () => Number(/^total_reads_processed:(\d+)/m.exec(await redis.admin.info('stats'))?.[1])
  const roundTrips = async (what: string, next: () => string) => {
    const before = await reads()
    await load({ port: server.port, connections: 1, requests: COUNTED, next })
    // The last read is the INFO command itself. The heartbeat and the check of the store add a few reads.
    const ours = [((await reads()) - before - 1) / COUNTED]
    return compare({ what, unit: 'round trips', ours, beside: { limit: ROUND_TRIPS }, goal: { atMost: 1.05 } })
  }
  return [
    compare({
      what: 'durable POST on Redis',
      unit: 'a second',
      ours: samplesOf(ours.load).map(({ perSecond }) => perSecond),
      beside: { name: 'on a file', values: samplesOf(file.load).map(({ perSecond }) => perSecond) },
      goal: { atLeast: 0.5 },
    }),
    await roundTrips('POST on Redis', ours.next),
    await roundTrips('GET on Redis', get('/get/fish?name=Writer&gamemode=survival')),
  ]
}
