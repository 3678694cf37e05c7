// What a request costs beside peers: `npm run bench`, or `node server/bench/requests.ts [ROUNDS] [--json FILE]` when the
// peers are installed. Linux only: CPU is that of all threads of the server's process, as the kernel counts it. In each
// round everything runs once, so that a busy moment of the machine meets all alike; a ratio is the median of the rounds'
// ratios. Every server writes its log as JSON to a pipe that is read, and counts each request against a limit.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CreatedUser, HEADERS, MEDIA_TYPES, type Session } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { compare, median, type Result, readBenchArguments, report } from '../../scripts/bench/results.ts'
import { type Load, load } from './load.ts'

const { rounds, json } = readBenchArguments(5)

const CLI = fileURLToPath(new URL('../../cli/bin/run.js', import.meta.url))
const PEER = fileURLToPath(new URL('peers/serve.ts', import.meta.url))
const ADMIN = { username: 'admin', password: 'the password of a benchmark' }
/** Of the kernel's clock, in which it counts CPU. */
const TICKS_PER_SECOND = 100

const POSTS_A_ROUND = 2000
const WHY = {
  cpu: "CPU time of the server's process, all threads, for a request: kept alive, logged and counted against a limit in both",
  throughput: 'Requests a second over as many connections, the load in a process of its own',
}

interface Server {
  readonly child: ChildProcess
  readonly port: number
}

/** What is measured: a server, and how requests to it come. */
interface Subject {
  readonly server: Server
  readonly next: () => string
}

interface Row {
  readonly title: string
  readonly connections: number
  readonly requests: number
  readonly ours: Subject
  /** What CPU and throughput are compared with; `goal` is the most, or the least, that the ratio may be. */
  readonly cpu: { readonly peer: string; readonly subject: Subject; readonly goal: number }
  readonly throughput?: { readonly peer: string; readonly subject: Subject; readonly goal: number }
}

interface Sample extends Load {
  /** CPU of a request in microseconds. */
  readonly cpu: number
}

const folder = mkdtempSync(join(tmpdir(), 'fish-bench-'))
const servers: Server[] = []
try {
  report(await measure(await openRows()), { json })
} finally {
  for (const { child } of servers) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}

async function openRows(): Promise<readonly Row[]> {
  const ours = await start(
    [CLI, 'serve', '--port', '0'],
    {
      HOME: folder,
      FISH_LOG: 'json',
      FISH_STORAGE: `file:${join(folder, 'data')}`,
      FISH_RATE_LIMIT: '1000000000',
      FISH_ADMIN_PASSWORD: ADMIN.password,
    },
    /listening on \S+:(\d+)/,
  )
  const { token } = await sendJson<Session>(ours, '/admin/login', ADMIN)
  const create = (name: string) => sendJson<CreatedUser>(ours, '/admin/users', { name }, `Bearer ${token}`)
  const [reader, writer] = [await create('Reader'), await create('Writer')]
  const catches = Array.from({ length: 10 }, (_, index) => ({ name: `Fish ${index}`, rarity: 1 }))
  await fetch(`http://127.0.0.1:${ours.port}/post/fish?name=Reader`, {
    method: 'POST',
    headers: { [HEADERS.gamemode]: 'earth', 'content-type': MEDIA_TYPES.token },
    body: await createFernet(reader.fernetKey).encrypt(JSON.stringify({ fish: catches })),
  })
  const peers = Object.fromEntries(
    await Promise.all(
      ['bare', 'parts', 'fastify', 'express'].map(async (kind) => {
        return [kind, await start([PEER, kind, folder, writer.fernetKey], {}, /^port (\d+)/m)] as const
      }),
    ),
  ) as Record<'bare' | 'parts' | 'fastify' | 'express', Server>

  const get = (path: string, headers = '') => {
    const text = `GET ${path} HTTP/1.1\r\nHost: bench\r\n${headers}\r\n`
    return () => text
  }
  const trivial = { server: ours, next: get('/status') }
  const reads = { connections: 8, requests: 5000 }
  const read = (title: string, path: string): readonly Row[] => {
    const next = get(path)
    const row = { ...reads, title, ours: { server: ours, next } }
    const throughput = { peer: 'node:http', subject: { server: peers.bare, next }, goal: 0.75 }
    return [
      { ...row, cpu: { peer: 'fastify', subject: { server: peers.fastify, next }, goal: 1.3 }, throughput },
      { ...row, cpu: { peer: 'express', subject: { server: peers.express, next }, goal: 1.3 } },
    ]
  }
  const collection = '/get/fish?name=Reader&gamemode=earth'
  const { headers } = await fetch(`http://127.0.0.1:${ours.port}${collection}`)
  const posts = await encryptedPosts(writer)
  return [
    ...read('GET /status', '/status'),
    ...read('GET /demo/fish', '/demo/fish'),
    ...read('GET /get/fish, 10 entries', collection),
    {
      ...reads,
      title: 'GET /get/fish, 10 entries, unchanged',
      ours: { server: ours, next: get(collection, `If-None-Match: ${headers.get('etag')}\r\n`) },
      cpu: { peer: 'GET /status', subject: trivial, goal: 1.2 },
    },
    {
      ...reads,
      title: 'GET /get/user/key, verified before',
      ours: {
        server: ours,
        next: get('/get/user/key', `Authorization: Basic ${btoa(`${reader.name}:${reader.password}`)}\r\n`),
      },
      cpu: { peer: 'GET /status', subject: trivial, goal: 2 },
    },
    {
      title: 'durable POST',
      connections: 64,
      requests: POSTS_A_ROUND,
      ours: { server: ours, next: posts() },
      cpu: { peer: 'its parts', subject: { server: peers.parts, next: posts() }, goal: 1.6 },
      throughput: { peer: 'its parts', subject: { server: peers.parts, next: posts() }, goal: 0.7 },
    },
  ]
}

/** @returns creates sources of the same requests, none of which a source repeats */
async function encryptedPosts({ name, fernetKey }: CreatedUser): Promise<() => () => string> {
  const fernet = createFernet(fernetKey)
  const texts: string[] = []
  // One measurement of a subject for CPU and one for throughput, and those that warm up.
  while (texts.length < (rounds + 1) * POSTS_A_ROUND) {
    const token = await fernet.encrypt(JSON.stringify({ fish: `Salmon ${texts.length}`, rarity: 3 }))
    const head = `POST /post/fish?name=${name} HTTP/1.1\r\nHost: bench\r\n${HEADERS.gamemode}: earth\r\n`
    texts.push(`${head}Content-Type: ${MEDIA_TYPES.token}\r\nContent-Length: ${token.length}\r\n\r\n${token}`)
  }
  return () => {
    let at = 0
    return () => texts[at++ % texts.length] ?? ''
  }
}

async function start(args: readonly string[], env: NodeJS.ProcessEnv, portIn: RegExp): Promise<Server> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const port = await new Promise<number>((resolve, reject) => {
    let text = ''
    const look = (chunk: Buffer) => {
      if (text.length < 1e5) text += chunk
      const [, found] = portIn.exec(text) ?? []
      if (found !== undefined) resolve(Number(found))
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    child.once('exit', () => reject(new Error(`${args.join(' ')} has ended:\n${text}`)))
  })
  const server = { child, port }
  servers.push(server)
  return server
}

async function sendJson<Result>({ port }: Server, path: string, body: object, authorization = ''): Promise<Result> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': MEDIA_TYPES.json, authorization },
    body: JSON.stringify(body),
  })
  return (await response.json()) as Result
}

/** CPU of a process in microseconds: fields 14 and 15 of proc_pid_stat(5). */
function cpuOf({ child }: Server): number {
  const [user, system] =
    readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ').slice(11, 13) ?? []
  return ((Number(user) + Number(system)) / TICKS_PER_SECOND) * 1e6
}

async function measure(rows: readonly Row[]) {
  const samples = rows.map(() => ({ ours: [] as Sample[], cpu: [] as Sample[], throughput: [] as Sample[] }))
  for (let round = 0; round <= rounds; round += 1) {
    // A subject that several rows compare with is measured once a round.
    const measured = new Map<Subject, Sample>()
    for (const [index, row] of rows.entries()) {
      for (const [of, subject] of [
        ['ours', row.ours],
        ['cpu', row.cpu.subject],
        ['throughput', row.throughput?.subject],
      ] as const) {
        if (!subject) continue
        const sample = measured.get(subject) ?? (await sampleOf(row, subject))
        measured.set(subject, sample)
        // The first round warms up.
        if (round > 0) samples[index]?.[of].push(sample)
      }
    }
  }
  return rows.flatMap((row, index) => resultsOf(row, samples[index] as (typeof samples)[number]))
}

async function sampleOf({ connections, requests }: Row, { server, next }: Subject): Promise<Sample> {
  const before = cpuOf(server)
  const loaded = await load({ port: server.port, connections, requests, next })
  return { ...loaded, cpu: (cpuOf(server) - before) / requests }
}

function resultsOf(row: Row, { ours, cpu, throughput }: Record<'ours' | 'cpu' | 'throughput', readonly Sample[]>) {
  const latency = (pick: (sample: Sample) => number) => `${median(ours.map(pick)).toFixed(1)} ms`
  const [p50, p99] = [latency((sample) => sample.p50), latency((sample) => sample.p99)]
  const results: Result[] = [
    compare({
      what: `${row.title}, CPU`,
      unit: 'µs',
      ours: ours.map((sample) => sample.cpu),
      beside: { name: row.cpu.peer, values: cpu.map((sample) => sample.cpu) },
      goal: { atMost: row.cpu.goal },
      why: WHY.cpu,
    }),
  ]
  if (row.throughput) {
    const { peer, goal } = row.throughput
    results.push(
      compare({
        what: `${row.title}, throughput`,
        unit: 'a second',
        ours: ours.map(({ perSecond }) => perSecond),
        beside: { name: peer, values: throughput.map(({ perSecond }) => perSecond) },
        goal: { atLeast: goal },
        why: `${WHY.throughput}; the median response takes ${p50}, the 99th percentile ${p99}`,
      }),
    )
  }
  return results
}
