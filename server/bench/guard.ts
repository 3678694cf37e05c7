// What a change must not make dearer by more than a quarter, in figures that a busy machine does not change: `npm run
// build && node server/bench/guard.ts [--update]`. Compares them with guard.json, which `--update` writes. Linux only.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CreatedUser } from '@fish-crab/sdk/contract'
import { textTable } from '../../scripts/lib/text-table.ts'
import { REDIS_MISSING, startRedis } from '../../scripts/test-support/redis-server.ts'
import { bytesOfACatch, roundTripsOf } from './counts.ts'
import { encryptPosts, get, inTurn, load } from './load.ts'
import { cpuOf, createUsers, type Server, type Servers, withServers } from './processes.ts'

type Figures = Readonly<Record<string, number>>

const BASELINE = fileURLToPath(new URL('guard.json', import.meta.url))
const TOLERANCE = 1.25
const ROUNDS = 9
const REQUESTS = 2000
const COUNTED = 300
const COLLECTION = '/get/fish?name=Reader&gamemode=earth'
const SECRETS = { FISH_SECRET: 'a secret of a benchmark', FISH_JWT_SECRET: 'another secret, of 32 bytes or more' }

if (process.platform !== 'linux') process.stdout.write('Not compared: the figures are those of the Linux kernel.\n')
else if (process.argv.includes('--update')) writeFileSync(BASELINE, `${JSON.stringify(await measure(), null, 2)}\n`)
else await compare()

async function compare(): Promise<void> {
  const baseline = JSON.parse(readFileSync(BASELINE, 'utf8')) as Figures
  let figures = await measure()
  // A ratio of CPU is the least of several, and may be unlucky nevertheless.
  if (regressions(figures, baseline).length > 0) figures = least(figures, await measure())
  const rows = Object.entries(figures).map(([what, figure]) => {
    const before = baseline[what] ?? Number.NaN
    return [what, figure.toFixed(2), before.toFixed(2), (figure / before).toFixed(2)]
  })
  process.stdout.write(textTable([['what', 'now', 'before', 'ratio'], ...rows]))
  for (const what of regressions(figures, baseline)) {
    process.stderr.write(
      `${what}: more than ${TOLERANCE} times what it was. Find out why; if it is worth it, run node server/bench/guard.ts --update.\n`,
    )
    process.exitCode = 1
  }
}

function regressions(figures: Figures, baseline: Figures): readonly string[] {
  return Object.keys(figures).filter((what) => !((figures[what] ?? 0) <= (baseline[what] ?? 0) * TOLERANCE))
}

function least(one: Figures, other: Figures): Figures {
  return Object.fromEntries(
    Object.entries(one).map(([what, figure]) => [what, Math.min(figure, other[what] ?? figure)]),
  )
}

async function measure(): Promise<Figures> {
  const figures: Record<string, number> = {}
  await withServers(async (servers) => {
    const ours = await servers.startOurs(`file:${join(servers.folder, 'data')}`)
    const [reader, writer] = await createUsers(ours, ['Reader', 'Writer'])
    if (!reader || !writer) throw new Error('The users were not created.')
    await send(ours, await encryptPosts(reader, { count: 10 }))
    Object.assign(figures, await cpuRatios(servers, ours), await systemCalls(ours, writer))
    figures['bytes on disk of a catch, 500 a POST'] = await bytesOfACatch(servers, { posts: 50, catches: 500 })
    if (REDIS_MISSING === undefined) Object.assign(figures, await roundTrips(servers))
    else process.stdout.write(`Round trips are not counted: ${REDIS_MISSING}\n`)
  })
  figures['kilobytes allocated for a GET of 10 entries'] = allocations()
  return figures
}

async function send({ port }: Server, requests: readonly string[]): Promise<void> {
  await load({ port, connections: 1, requests: requests.length, next: inTurn(requests) })
}

/** Of the cheapest round of each: a busy machine makes a round dearer, never cheaper. */
async function cpuRatios({ startPeer }: Servers, ours: Server): Promise<Figures> {
  const bare = await startPeer('bare')
  const figures: Record<string, number> = {}
  for (const [what, path] of [
    ['/demo/fish', '/demo/fish'],
    ['a GET of 10 entries', COLLECTION],
  ] as const) {
    const cheapest = new Map([ours, bare].map((server) => [server, Number.POSITIVE_INFINITY]))
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [server, cpu] of cheapest) {
        const before = cpuOf(server)
        await load({ port: server.port, connections: 8, requests: REQUESTS, next: get(path) })
        cheapest.set(server, Math.min(cpu, cpuOf(server) - before))
      }
    }
    figures[`CPU of ${what}, of node:http alone`] = (cheapest.get(ours) ?? 0) / (cheapest.get(bare) ?? 0)
  }
  return figures
}

/** Those that read or write, of requests that come one after the other. */
async function systemCalls(ours: Server, writer: CreatedUser): Promise<Figures> {
  const posts = await encryptPosts(writer, { count: COUNTED })
  const callsOf = ({ child }: Server) => {
    const text = readFileSync(`/proc/${child.pid}/io`, 'utf8')
    return Number(/^syscr: (\d+)/m.exec(text)?.[1]) + Number(/^syscw: (\d+)/m.exec(text)?.[1])
  }
  const before = callsOf(ours)
  await load({ port: ours.port, connections: 1, requests: COUNTED, next: get(COLLECTION) })
  const between = callsOf(ours)
  await send(ours, posts)
  return {
    'system calls of a GET of 10 entries': (between - before) / COUNTED,
    'system calls of a POST': (callsOf(ours) - between) / COUNTED,
  }
}

async function roundTrips({ startOurs }: Servers): Promise<Figures> {
  const redis = await startRedis()
  try {
    const ours = await startOurs(redis.url, SECRETS)
    const [reader] = await createUsers(ours, ['Reader'])
    if (!reader) throw new Error('The user was not created.')
    const get10 = get(COLLECTION)
    const posts = inTurn(await encryptPosts(reader, { count: COUNTED }))
    // The first ones load scripts.
    await load({ port: ours.port, connections: 1, requests: 5, next: get10 })
    return {
      'round trips to Redis of a GET': await roundTripsOf(redis, ours, { requests: COUNTED, next: get10 }),
      'round trips to Redis of a POST': await roundTripsOf(redis, ours, { requests: COUNTED, next: posts }),
    }
  } finally {
    await redis.stop()
  }
}

/** In a process whose young generation is so large that nothing is collected meanwhile. */
function allocations(): number {
  const script = fileURLToPath(new URL('allocations.ts', import.meta.url))
  const megabytes = 256
  const flags = [`--max-semi-space-size=${megabytes}`, `--min-semi-space-size=${megabytes}`]
  const { stdout, stderr, status } = spawnSync(process.execPath, [...flags, script], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${script} failed:\n${stderr}`)
  return Number(stdout)
}
