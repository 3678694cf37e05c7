// Writes to a slow disk and to large collections: `npm run bench`, or `node server/bench/writes.ts [ROUNDS] [--json
// FILE]` when the peers are installed. Linux only; a C compiler makes the disk slow.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CreatedUser, GAMEMODES, KINDS } from '@fish-crab/sdk/contract'
import { compare, median, type Result, readBenchArguments, report } from '../../scripts/bench/results.ts'
import { encryptPosts, get, inTurn, load } from './load.ts'
import { createUsers, type Server, type Servers, stop, withServers } from './processes.ts'
import { measureRounds, underLoad } from './rounds.ts'
import { addCatches, seedStore } from './seed.ts'

const { rounds, json } = readBenchArguments(5)

const SLOW_SYNC = fileURLToPath(new URL('../../scripts/test-support/fixtures/stalled-sync.c', import.meta.url))
const APPENDERS = fileURLToPath(new URL('appenders.ts', import.meta.url))
const FLUSH_MS = 5
const CONNECTIONS = 64
const POSTS_A_ROUND = 4000
/** Writes a second if each fsync took one of every connection, and nothing else took any time. */
const SYNC_LIMIT = { limit: CONNECTIONS / (FLUSH_MS / 1000) }
const READERS = 4
const MAX_READ_MS = 20

await withServers(async (servers) => {
  report([...(await measureSlowDisk(servers)), ...(await measureCollections(servers))], { json })
})

async function measureSlowDisk(servers: Servers): Promise<readonly Result[]> {
  const library = join(servers.folder, 'slow-sync.so')
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, SLOW_SYNC, '-ldl'], { stdio: 'pipe' })
  } catch {
    process.stderr.write('Not measured: writes to a slow disk, as there is no C compiler to slow it down\n')
    return []
  }
  const env = { LD_PRELOAD: library, FISH_FLUSH_US: String(1000 * FLUSH_MS) }
  const ours = await servers.startOurs(`file:${join(servers.folder, 'slow')}`, env)
  // A collection for each connection.
  const writers = Array.from({ length: CONNECTIONS / KINDS.length / GAMEMODES.length }, (_, index) => `Writer${index}`)
  const users = await createUsers(ours, writers)
  const posts = await postsToCollections(users, 2 * (rounds + 1) * POSTS_A_ROUND)
  const parts = await servers.startPeer('parts', [servers.folder, users[0]?.fernetKey ?? ''], env)
  const partsPosts = users[0] ? await encryptPosts(users[0], { count: (rounds + 1) * POSTS_A_ROUND }) : []
  return [
    ...(await measureSlowWrites(ours, inTurn(posts), { parts, next: inTurn(partsPosts) })),
    await measureSlowAppends(servers, env),
  ]
}

async function measureSlowAppends({ folder }: Servers, env: NodeJS.ProcessEnv): Promise<Result> {
  const args = [APPENDERS, join(folder, 'appended'), String(CONNECTIONS), String(POSTS_A_ROUND)]
  const append = async () => Number(execFileSync(process.execPath, args, { env, encoding: 'utf8' }))
  const samplesOf = await measureRounds(rounds, [append])
  return compare({
    what: `append, every fsync ${FLUSH_MS} ms slower, without a server`,
    unit: 'a second',
    ours: samplesOf(append),
    beside: SYNC_LIMIT,
    goal: { atLeast: 0.6 },
    why: `${CONNECTIONS} appenders in the process of the storage, each to its own collection, beside one fsync for each ${CONNECTIONS} appends and no other cost at all`,
  })
}

/** As many writes to each collection, in turn. */
async function postsToCollections(users: readonly CreatedUser[], count: number): Promise<readonly string[]> {
  const collections = users.flatMap((user) =>
    KINDS.flatMap((kind) => GAMEMODES.map((gamemode) => ({ user, kind, gamemode }))),
  )
  const ofEach = await Promise.all(
    collections.map(({ user, ...options }) =>
      encryptPosts(user, { ...options, count: Math.ceil(count / collections.length) }),
    ),
  )
  return Array.from({ length: count }, (_, at) => ofEach[at % ofEach.length]?.[Math.floor(at / ofEach.length)] ?? '')
}

async function measureSlowWrites(
  ours: Server,
  next: () => string,
  peer: { readonly parts: Server; readonly next: () => string },
): Promise<readonly Result[]> {
  const writing = { connections: CONNECTIONS, requests: POSTS_A_ROUND, next }
  const writes = underLoad(ours, writing)
  const besideWrites = underLoad(peer.parts, { ...writing, next: peer.next })
  const reads = async () => {
    let isWriting = true
    const written = load({ port: ours.port, ...writing }).finally(() => {
      isWriting = false
    })
    const read = await load({
      port: ours.port,
      connections: READERS,
      requests: Number.POSITIVE_INFINITY,
      next: get('/get/fish?name=Writer0&gamemode=earth&limit=10'),
      goesOn: () => isWriting,
    })
    await written
    return { ...read, cpu: Number.NaN, memory: Number.NaN }
  }
  const samplesOf = await measureRounds(rounds, [writes, besideWrites, reads])
  const partsPerSecond = median(samplesOf(besideWrites).map(({ perSecond }) => perSecond))
  return [
    compare({
      what: `durable POST, every fsync ${FLUSH_MS} ms slower`,
      unit: 'a second',
      ours: samplesOf(writes).map(({ perSecond }) => perSecond),
      beside: SYNC_LIMIT,
      goal: { atLeast: 0.6 },
      why: `Over ${CONNECTIONS} connections to as many collections. The limit is one fsync for each ${CONNECTIONS}, and no other cost at all; the parts alone of a write, in one thread, reach ${partsPerSecond.toFixed(0)} a second`,
    }),
    compare({
      what: `GET while ${CONNECTIONS} connections write so, p99`,
      unit: 'ms',
      ours: samplesOf(reads).map(({ p99 }) => p99),
      beside: { limit: MAX_READ_MS },
      why: `Reads of 10 entries over ${READERS} connections during the writes of the row above, with the load of both in one process`,
    }),
  ]
}

async function measureCollections(servers: Servers): Promise<readonly Result[]> {
  const folder = join(servers.folder, 'collections')
  const first = await servers.startOurs(`file:${folder}`)
  const [middle, large, ...small] = await createUsers(first, [
    'Middle',
    'Large',
    // One for each round, so that none of them grows large.
    ...Array.from({ length: rounds + 1 }, (_, round) => `Small${round}`),
  ])
  if (!middle || !large) throw new Error('The users were not created.')
  await stop(first)
  await seedStore(folder, async (storage) => {
    for (const { id } of small) await addCatches(storage, id, 10)
    await addCatches(storage, middle.id, 10_000)
    await addCatches(storage, large.id, 100_000)
  })
  const ours = await servers.startOurs(`file:${folder}`)
  const plainFolder = join(servers.folder, 'plain')
  const plain = await servers.startPeer('plain', [plainFolder, middle.fernetKey, '10000'])
  const writing = async (server: Server, users: readonly CreatedUser[], requests: number) => {
    const count = ((rounds + 1) / users.length) * requests
    const posts = await Promise.all(users.map((user) => encryptPosts(user, { count })))
    return underLoad(server, { connections: CONNECTIONS, requests, next: inTurn(posts.flat()) })
  }
  const toSmall = await writing(ours, small, 1000)
  const toMiddle = await writing(ours, [middle], 1000)
  const toLarge = await writing(ours, [large], 1000)
  const toPlain = await writing(plain, [middle], 100)
  const samplesOf = await measureRounds(rounds, [toSmall, toLarge, toMiddle, toPlain])
  return [
    compare({
      what: 'POST to 10,000 entries, throughput',
      unit: 'a second',
      ours: samplesOf(toMiddle).map(({ perSecond }) => perSecond),
      beside: { name: 'plain parts', values: samplesOf(toPlain).map(({ perSecond }) => perSecond) },
      goal: { atLeast: 10 },
      why: `Over ${CONNECTIONS} connections. The other one is express, express-rate-limit, fernet and unstorage with a JSON file for the collection, which it does not sync to the disk`,
    }),
    compare({
      what: 'POST to 100,000 entries, CPU',
      unit: 'µs',
      ours: samplesOf(toLarge).map(({ cpu }) => cpu),
      beside: { name: '10 entries', values: samplesOf(toSmall).map(({ cpu }) => cpu) },
      goal: { atMost: 1.3 },
      why: `CPU time of the server's process for a write over ${CONNECTIONS} connections; the small collection is another one in each round`,
    }),
  ]
}
