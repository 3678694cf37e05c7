// What a file store takes: bytes of a catch, the start of a server, and writes among many users. `npm run build && node
// server/bench/store.ts [ROUNDS] [--short] [--json FILE]`. Linux only, as CPU is counted by the kernel.
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { GAMEMODES, KINDS } from '@fish-crab/sdk/contract'
import { type Collection, createStorage, type FishStorage } from '@fish-crab/server/storage'
import { compare, type Result, readBenchArguments, report } from '../../scripts/bench/results.ts'
import { bytesOfACatch } from './counts.ts'
import { encryptPosts, get, inTurn, load } from './load.ts'
import { createUsers, type Server, type Servers, stop, withServers } from './processes.ts'
import { measureRounds, underLoad } from './rounds.ts'
import { addUsers, newCatch, seedStore } from './seed.ts'

const { rounds, isShort, json } = readBenchArguments(5)

const USERS = isShort ? 100_000 : 1_000_000
const MANY = USERS.toLocaleString('en')
const CONNECTIONS = 64
const POSTS_A_ROUND = 2000
const APPENDS_A_ROUND = 5000
const BYTES_OF_A_CATCH = 110
const ACTIVE = Array.from({ length: 10 }, (_, index) => `Active${index}`)

await withServers(async (servers) => {
  const bytes = [
    await measureBytes(servers, { posts: 10_000, catches: 1 }),
    await measureBytes(servers, { posts: 100, catches: 500 }),
  ]
  const { few, many } = await createStores(servers)
  const starts = await measureStarts(servers, { few: few.path, many: many.path })
  const appends = await measureAppends(few, many)
  report([...bytes, ...starts, appends, await measureWrites(servers, few, many)], { json })
})

async function measureBytes(servers: Servers, writes: { readonly posts: number; readonly catches: number }) {
  const { posts, catches } = writes
  const bytes = await bytesOfACatch(servers, writes)
  return compare({
    what: `bytes on disk of a catch, ${catches === 1 ? 'one' : catches} a POST`,
    unit: 'bytes',
    ours: [bytes],
    beside: { limit: BYTES_OF_A_CATCH },
    why: `What fish.db grows by, of a server that was stopped: ${(posts * catches).toLocaleString('en')} fish with names of about a dozen characters`,
  })
}

interface Store {
  readonly path: string
  /** Those of all its users that have a catch, or will. */
  readonly collections: readonly Collection[]
  /** Requests of the users that are active, enough for every round. */
  readonly posts: readonly string[]
}

/** Two stores with the same active users, one of them with many more and a catch of each. */
async function createStores({ folder, startOurs }: Servers): Promise<{ readonly few: Store; readonly many: Store }> {
  const [few, many] = [join(folder, 'few'), join(folder, 'many')]
  const server = await startOurs(`file:${few}`)
  const users = await createUsers(server, ACTIVE)
  await stop(server)
  cpSync(few, many, { recursive: true })
  const ids = await seedStore(many, (storage) => addUsers(storage, USERS))
  const count = ((rounds + 1) * POSTS_A_ROUND) / ACTIVE.length
  const ofEach = await Promise.all(users.map((user) => encryptPosts(user, { count })))
  const posts = Array.from({ length: count }, (_, at) => ofEach.map((requests) => requests[at] ?? '')).flat()
  const collectionsOfFew = users.flatMap(({ id: owner }) =>
    KINDS.flatMap((kind) => GAMEMODES.map((gamemode) => ({ owner, kind, gamemode }))),
  )
  const collectionsOfMany = ids.map((owner) => ({ owner, kind: 'fish', gamemode: 'earth' }))
  return {
    few: { path: few, posts, collections: collectionsOfFew },
    many: { path: many, posts, collections: collectionsOfMany },
  }
}

async function measureStarts(
  { startOurs }: Servers,
  { few, many }: { readonly few: string; readonly many: string },
): Promise<readonly Result[]> {
  const timed = async (run: () => Promise<Server | undefined>) => {
    const startedAt = performance.now()
    const server = await run()
    const ms = performance.now() - startedAt
    if (server) await stop(server)
    return ms
  }
  const start = (path: string) => () =>
    timed(async () => {
      const server = await startOurs(`file:${path}`)
      await load({ port: server.port, connections: 1, requests: 1, next: get('/status') })
      return server
    })
  const node = () =>
    timed(async () => {
      spawnSync(process.execPath, ['-e', '0'])
      return undefined
    })
  const [empty, full] = [start(few), start(many)]
  const samplesOf = await measureRounds(2 * rounds, [node, empty, full])
  const why = 'From the start of fish-cli serve to its first response, on a store that an earlier run has created'
  return [
    compare({
      what: 'start to the first response, no catches',
      unit: 'ms',
      ours: samplesOf(empty),
      beside: { name: 'node -e 0', values: samplesOf(node) },
      goal: { atMost: 5 },
      why: `${why}; node -e 0 from its start to its end`,
    }),
    compare({
      what: `start to the first response, ${MANY} catches`,
      unit: 'ms',
      ours: samplesOf(full),
      beside: { name: 'no catches', values: samplesOf(empty) },
      goal: { atMost: 1.2 },
      why: `${why}; as many users have one catch each`,
    }),
  ]
}

/** Without a server, which would need the key of every user. */
async function measureAppends(few: Store, many: Store): Promise<Result> {
  const storages: FishStorage[] = []
  const appending = async ({ path, collections }: Store) => {
    const storage = await createStorage({ driver: 'file', path })
    storages.push(storage)
    return async () => {
      let left = APPENDS_A_ROUND
      const before = process.cpuUsage()
      const append = async () => {
        for (; left > 0; left -= 1) {
          const collection = collections[randomInt(collections.length)]
          if (collection) await storage.append(collection, newCatch(left))
        }
      }
      await Promise.all(Array.from({ length: CONNECTIONS }, append))
      const { user, system } = process.cpuUsage(before)
      return (user + system) / APPENDS_A_ROUND
    }
  }
  try {
    const [beside, ours] = [await appending(few), await appending(many)]
    const samplesOf = await measureRounds(rounds, [beside, ours])
    return compare({
      what: `append for any of ${MANY} users, without a server, CPU`,
      unit: 'µs',
      ours: samplesOf(ours),
      beside: { name: `any of ${ACTIVE.length} users`, values: samplesOf(beside) },
      goal: { atMost: 1.3 },
      why: `CPU time of the process of the storage, ${CONNECTIONS} appends at a time: each to the collection of a user drawn from all, beside one of the ${few.collections.length} collections of ${ACTIVE.length} users`,
    })
  } finally {
    await Promise.all(storages.map((storage) => storage.dispose()))
  }
}

async function measureWrites({ startOurs }: Servers, few: Store, many: Store): Promise<Result> {
  const writing = async ({ path, posts }: Store) =>
    underLoad(await startOurs(`file:${path}`), {
      connections: CONNECTIONS,
      requests: POSTS_A_ROUND,
      next: inTurn(posts),
    })
  const [beside, ours] = [await writing(few), await writing(many)]
  const samplesOf = await measureRounds(rounds, [beside, ours])
  return compare({
    what: `POST among ${MANY} users, CPU`,
    unit: 'µs',
    ours: samplesOf(ours).map(({ cpu }) => cpu),
    beside: { name: `${ACTIVE.length} users`, values: samplesOf(beside).map(({ cpu }) => cpu) },
    goal: { atMost: 1.3 },
    why: `CPU time of the server's process for a write by one of the same ${ACTIVE.length} users over ${CONNECTIONS} connections`,
  })
}
