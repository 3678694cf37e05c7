// Measures other clients and the longest step of the main thread while a crowd of clients sends the most expensive
// requests: `npm run build && node server/bench/crowd.ts [ROUNDS]`. All names have the largest size. This benchmark runs
// on Linux only, since each client has its own loopback address.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type CreatedUser, EVENT_STREAM, GAMEMODES, KINDS } from '@fish-crab/sdk/contract'
import { compare, type Result, readRounds, report } from '../../scripts/bench/results.ts'
import { REDIS_MISSING, startRedis } from '../../scripts/test-support/redis-server.ts'
import { encryptPosts, get, inTurn, load } from './load.ts'
import {
  adminToken,
  CLI,
  createUsers,
  SECRETS,
  type Server,
  type Servers,
  stepsDuring,
  stop,
  withServers,
} from './processes.ts'
import { addPlayers, seedStorage } from './seed.ts'

const rounds = readRounds(3)

const CLIENTS = 4
/** The server's maximum per client. */
const CONNECTIONS_OF_A_CLIENT = 10
const ENTRIES = 75_000
const RECOUNTED_ENTRIES = 150_000
const SPECIES = 10_000
const ENTRIES_OF_A_POST = 500
/** Characters of the longest names of which a post of 500 has room: its token must not exceed 256 KiB. */
const LONGEST_NAME = 84
const MEASURED_MS = 5000
const WARM_REQUESTS = 2000
const LIMIT_MS = { p99: 100, step: 25 }
const COLLECTION = 'name=Rich&gamemode=earth'
const PLAYERS = [
  { count: 3000, species: 500 },
  { count: 3, species: 40_000 },
] as const

/** The load of the crowd, beside which another client reads 10 entries. */
interface Scenario {
  readonly what: string
  /** The requests of the crowd, over one connection each. @default no crowd */
  readonly crowd?: readonly (() => string)[]
  /** Sends other requests meanwhile. */
  readonly beside?: (signal: AbortSignal) => Promise<void>
}

interface Crowd {
  readonly port: number
  readonly requests: readonly string[]
}

if (isMainThread) await measureAll()
else beACrowd(workerData as Crowd)

async function measureAll(): Promise<void> {
  await withServers(async (servers) => {
    const folder = join(servers.folder, 'data')
    const results = await measure('file', servers, `file:${folder}`, {})
    if (REDIS_MISSING === undefined) {
      await using redis = await startRedis()
      results.push(...(await measure('Redis', servers, redis.url, SECRETS)))
    } else process.stderr.write(`Redis is not measured: ${REDIS_MISSING}\n`)
    report(results)
  })
}

async function measure(
  storage: 'file' | 'Redis',
  servers: Servers,
  address: string,
  env: NodeJS.ProcessEnv,
): Promise<Result[]> {
  await seedStorage(address, (opened) => addPlayers(opened, PLAYERS))
  const server = await servers.startOurs(address, { FISH_PUBLIC_LEADERBOARD: '1', ...env })
  const others = get('/get/fish?name=Other&gamemode=earth')
  const scenarios = await scenariosOf(storage, server, join(servers.folder, 'backups'))
  await load({ port: server.port, connections: 2, requests: WARM_REQUESTS, next: others })
  const results: Result[] = []
  for (const scenario of scenarios) {
    const samples: Awaited<ReturnType<typeof sample>>[] = []
    for (let round = 0; round < rounds; round += 1) samples.push(await sample(server, scenario, others))
    const row = (what: string, limit: number, ours: readonly number[]) =>
      results.push(compare({ what: `${storage}, ${scenario.what}: ${what}`, unit: 'ms', ours, beside: { limit } }))
    row(
      "others' p99",
      LIMIT_MS.p99,
      samples.map(({ p99 }) => p99),
    )
    row(
      'longest step',
      LIMIT_MS.step,
      samples.map(({ longestMs }) => longestMs),
    )
  }
  await stop(server)
  return results
}

/** Measures latencies and steps one after the other, because the probe of steps never lets the server sleep. */
async function sample(server: Server, scenario: Scenario, others: () => string) {
  const measure = () => {
    const endsAt = performance.now() + MEASURED_MS
    const isRunning = () => performance.now() < endsAt
    return load({ port: server.port, connections: 2, requests: Number.POSITIVE_INFINITY, next: others, isRunning })
  }
  const { p99 } = await during(server, scenario, measure)
  const { steps } = await during(server, scenario, () => stepsDuring(server, measure))
  return { p99, longestMs: steps.longestMs }
}

/** Measures once the crowd reads: all of its connections open in one turn of the server. */
async function during<Result>(
  { port }: Server,
  { crowd = [], beside }: Scenario,
  measure: () => Promise<Result>,
): Promise<Result> {
  // The crowd runs in a separate thread, so that the crowd does not slow down the measured client.
  const requests = crowd.map((next) => next())
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { port, requests } satisfies Crowd })
  if (requests.length > 0) await once(worker, 'message')
  const stopping = new AbortController()
  const running = beside?.(stopping.signal)
  try {
    return await measure()
  } finally {
    stopping.abort()
    await running
    await worker.terminate()
  }
}

async function scenariosOf(storage: 'file' | 'Redis', server: Server, backups: string): Promise<readonly Scenario[]> {
  const [rich, recounted, collector, other] = (await createUsers(server, [
    ...['Rich', 'Recounted', 'Collector', 'Other'],
  ])) as [CreatedUser, CreatedUser, CreatedUser, CreatedUser]
  const long = { catches: ENTRIES_OF_A_POST, nameLength: LONGEST_NAME }
  const postAll = async (posts: readonly string[]) => {
    await load({ port: server.port, connections: 1, requests: posts.length, next: inTurn(posts) })
  }
  await postAll(await encryptPosts(other, { count: 10 }))
  await postAll(await encryptPosts(rich, { count: ENTRIES / ENTRIES_OF_A_POST, ...long }))
  await postAll(await encryptPosts(recounted, { count: RECOUNTED_ENTRIES / ENTRIES_OF_A_POST, ...long }))
  for (const gamemode of GAMEMODES) {
    for (const kind of KINDS) {
      await postAll(
        await encryptPosts(collector, {
          count: SPECIES / ENTRIES_OF_A_POST,
          kind,
          gamemode,
          ...long,
          areDistinct: true,
        }),
      )
    }
  }

  const every = (next: () => string) => Array.from({ length: CLIENTS * CONNECTIONS_OF_A_CLIENT }, () => next)
  const events = get(`/events?${COLLECTION}&kind=fish&follow=false`, {
    [EVENT_STREAM.lastEventId]: await firstEventId(server),
  })
  const profiles = [
    ...['/get/profile?name=Collector', '/get/profile?name=Collector&species=true', '/@Collector'],
    ...['/get/fish?name=Collector&gamemode=earth&summary=species', '/@Collector/card.png'],
  ].map((path) => get(path))
  const authorization = { authorization: `Bearer ${await adminToken(server)}` }
  const totals = ['/admin/stats', '/admin/users?limit=1000', '/admin/leaderboard?type=fish&limit=1000']
  const known = ['', ...GAMEMODES.map((gamemode) => `?gamemode=${gamemode}`)].map((query) =>
    get(`/get/species${query}`),
  )
  const boards = [
    ...['', '&by=species', ...['01', '02', '03', '04', '05'].map((month) => `&period=2026-${month}`)].map(
      (query) => `/get/leaderboard?kind=fish${query}&name=Other`,
    ),
    ...['/leaderboard?by=7', '/@Collector/vs/@Rich', '/@Collector/vs/@Rich/card.png'],
  ].map((path) => get(path))
  return [
    {
      // Only the first round counts the species, because the service counts them at most every ten minutes.
      what: 'the known species of 3,003 players in every gamemode',
      crowd: Array.from({ length: CLIENTS * CONNECTIONS_OF_A_CLIENT }, (_, at) => known[at % known.length] ?? events),
    },
    {
      // Each month is another count of all players. Only the first round counts them.
      what: 'leaderboards of six periods of 3,003 players, and a comparison of 80,000 species',
      crowd: Array.from({ length: CLIENTS * CONNECTIONS_OF_A_CLIENT }, (_, at) => boards[at % boards.length] ?? events),
    },
    { what: `${CLIENTS * CONNECTIONS_OF_A_CLIENT} event streams from the first catch`, crowd: every(events) },
    {
      what: `${CLIENTS * CONNECTIONS_OF_A_CLIENT} whole collections`,
      crowd: every(get(`/get/fish?${COLLECTION}&detail=full`)),
    },
    {
      what: 'profiles, summaries, pages and cards of 80,000 species, with a catch a second',
      crowd: Array.from(
        { length: CLIENTS * CONNECTIONS_OF_A_CLIENT },
        (_, at) => profiles[at % profiles.length] ?? events,
      ),
      beside: writes(server, collector, 1000),
    },
    {
      what: 'summaries of 150,000 catches, with a removal a second and a catch every 60 ms',
      crowd: every(get('/get/fish?name=Recounted&gamemode=earth&summary=species')),
      beside: async (signal) => {
        await Promise.all([writes(server, recounted, 60)(signal), removals(server, authorization, 1000)(signal)])
      },
    },
    {
      what: 'totals and leaderboards over 3,003 players',
      crowd: Array.from({ length: 12 }, (_, at) => get(totals[at % totals.length] ?? '', authorization)),
    },
    ...(storage === 'file' ? [{ what: 'backups', beside: backup(join(backups, '..', 'data'), backups) }] : []),
  ]
}

/** Forges the id of an event before the first event: an id without positions. */
async function firstEventId({ port }: Server): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/events?${COLLECTION}&kind=fish&follow=false`)
  const [, tag = ''] = /^id: ([^-\n]+)/m.exec(await response.text()) ?? []
  return tag
}

/** Sends one catch at each interval. */
function writes({ port }: Server, user: CreatedUser, everyMs: number) {
  return async (signal: AbortSignal): Promise<void> => {
    const count = Math.ceil((2 * MEASURED_MS) / everyMs)
    const next = inTurn(await encryptPosts(user, { count, catches: 2, nameLength: LONGEST_NAME }))
    while (!signal.aborted) {
      await load({ port, connections: 1, requests: 1, next })
      await wait(everyMs, undefined, { signal }).catch(() => {})
    }
  }
}

/** Removes the first record at each interval, whose species then have unknown times. */
function removals({ port }: Server, headers: Readonly<Record<string, string>>, everyMs: number) {
  const path = '/admin/users/Recounted/fish'
  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const page = await fetch(`http://127.0.0.1:${port}/get/fish?name=Recounted&gamemode=earth&detail=full&limit=1`)
      const { fish } = (await page.json()) as { fish: { id: string }[] }
      await fetch(`http://127.0.0.1:${port}${path}/${fish[0]?.id}?gamemode=earth`, { method: 'DELETE', headers })
      await wait(everyMs, undefined, { signal }).catch(() => {})
    }
  }
}

/** Makes one backup after the other. */
function backup(data: string, backups: string) {
  let made = 0
  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      made += 1
      const args = [CLI, 'backup', `${backups}-${made}`, '--storage', `file:${data}`]
      await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'exit')
    }
  }
}

/**
 * Sends each request repeatedly, each time over a new connection, and reads responses as fast as the server sends them.
 */
function beACrowd({ port, requests }: Crowd): void {
  for (const [at, request] of requests.entries()) {
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
