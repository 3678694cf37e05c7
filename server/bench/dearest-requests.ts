// What the dearest requests cost that anybody may send: `npm run build && node server/bench/dearest-requests.ts [SERVER]`.
// SERVER is a script that serves by its environment. Linux only: CPU is that of all threads as the kernel counts it,
// memory the most that was resident. The last column is CPU beside that of a trivial GET: by KB that moved where more
// than 8 KB did, by request else. Below: what 400 clients take that do not read, and how long others wait meanwhile.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { CreatedUser, Session } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { cpuOf, memoryOf, resetPeak } from './processes.ts'

const GOAL = 50
const SMALL_KB = 8
const STALLED = 400
const HEAD_BYTES = 15_000
const READ = '/get/fish?name=Alex&gamemode=earth'
const LARGE = `${READ}&detail=full`
const EVENTS = '/events?name=Alex&gamemode=earth&follow=false'
const SUMMARY = '/get/fish?name=Alex&gamemode=survival&summary=species'
const ROOT = { username: 'root', password: 'root-password' }

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}
interface Row extends Sent {
  readonly title: string
  readonly path: string
  /** How often it is sent. */
  readonly times: number
  /** Is done before each, and not measured. */
  readonly before?: () => Promise<unknown>
}

const folder = mkdtempSync(join(tmpdir(), 'fish-dearest-'))
const script = process.argv[2] ?? fileURLToPath(new URL('../e2e/fixtures/serve.js', import.meta.url))
const child = spawn(process.execPath, [script], {
  env: {
    PATH: process.env.PATH,
    FISH_PORT: '0',
    FISH_LOG: 'silent',
    FISH_STORAGE: `file:${folder}`,
    FISH_PUBLIC_LEADERBOARD: '1',
    FISH_RATE_LIMIT: '1000000',
    FISH_ADMIN_RATE_LIMIT: '1000000',
    FISH_TRUST_PROXY: '1',
    FISH_ADMIN_USERNAME: ROOT.username,
    FISH_ADMIN_PASSWORD: ROOT.password,
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const agent = new Agent({ keepAlive: true })
try {
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const url = new URL(String(line.split(' ').at(-1)))
  const { token: session } = (await json(url, '/admin/login', ROOT)) as Session
  const asRoot = { authorization: `Bearer ${session}` }
  const alex = (await json(url, '/admin/users', { name: 'Alex' }, asRoot)) as CreatedUser
  // Names that nothing can compress well, as somebody who means harm would take.
  const add = (count: number) => {
    const fish = Array.from({ length: count }, (_, at) => ({
      name: `Salmon ${randomBytes(6).toString('hex')}`,
      rarity: 1 + (at % 7),
      caughtAt: new Date(1.77e12 + at * 9973).toISOString(),
    }))
    return json(url, '/admin/users/Alex/fish?gamemode=earth', { fish }, asRoot)
  }
  for (let batch = 0; batch < 200; batch += 1) await add(500)
  /** As many species as a summary may have. */
  const addSpecies = (from: number, count: number) => {
    const fish = Array.from({ length: count }, (_, at) => ({ name: `Salmon ${from + at}`, rarity: 1 }))
    return json(url, '/admin/users/Alex/fish?gamemode=survival', { fish }, asRoot)
  }
  for (let from = 0; from < 10_000; from += 500) await addSpecies(from, 500)
  for (let player = 0; player < 100; player += 1) {
    await json(url, '/admin/users', { name: `P${player}`, password: 'player-password' }, asRoot)
    await json(url, `/admin/users/P${player}/fish?gamemode=earth`, { fish: [{ name: 'Cod', rarity: 1 }] }, asRoot)
  }
  await table(
    await rowsOf(
      url,
      alex,
      () => add(1),
      () => addSpecies(0, 1),
    ),
    url,
  )
  await stalled(url, alex)
  await waits(url, alex, () => add(1))
} finally {
  agent.destroy()
  child.kill('SIGTERM')
  await once(child, 'exit')
  rmSync(folder, { recursive: true, force: true })
}

async function rowsOf(
  url: URL,
  alex: CreatedUser,
  change: () => Promise<unknown>,
  changeSpecies: () => Promise<unknown>,
): Promise<Row[]> {
  const page = JSON.parse((await send(url, `${LARGE}&limit=1000`)).body.toString()) as { nextCursor: string }
  const { headers: tagged } = await send(url, '/openapi.json')
  const events = (await send(url, EVENTS)).body.toString()
  const [, stream = ''] = /^id: ([^-]+)-/m.exec(events) ?? []
  const fernet = createFernet(alex.fernetKey)
  const long = { fish: Array.from({ length: 500 }, () => ({ name: '\u20ac'.repeat(100), rarity: 1 })) }
  const octets = { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth' }
  const tokens = await Promise.all(
    Array.from({ length: 20 }, (_, at) => fernet.encrypt(JSON.stringify({ ...long, at }))),
  )
  const forged = `${tokens[0]?.slice(0, -4)}AAAA`
  const post = { method: 'POST', headers: octets }
  const preflight = { origin: 'https://a.example', 'access-control-request-method': 'GET' }
  const head = (name: string, value: string) => ({ headers: { [name]: value } })
  const inCoding = (coding: string) => head('accept-encoding', coding)
  const many = (text: string) => text.repeat(HEAD_BYTES / text.length)
  return [
    { title: 'GET /demo/fish', path: '/demo/fish', times: 2000 },
    ...['livez', 'readyz', 'status', 'metrics'].map((name) => ({ title: `/${name}`, path: `/${name}`, times: 300 })),
    { title: 'preflight', path: READ, method: 'OPTIONS', headers: preflight, times: 1000 },
    { title: '404', path: '/nothing', times: 1000 },
    { title: '/docs', path: '/docs', times: 300 },
    { title: '/docs, its script', path: '/docs/swagger-ui-bundle.js', times: 30 },
    ...['identity', 'gzip', 'br'].map((coding) => ({
      title: `/openapi.json ${coding}`,
      path: '/openapi.json',
      ...inCoding(coding),
      times: 200,
    })),
    {
      title: '/openapi.json unchanged',
      path: '/openapi.json',
      ...head('if-none-match', tagged.etag ?? '*'),
      times: 300,
    },
    ...['identity', 'gzip', 'br'].flatMap((coding): Row[] => {
      const slow = coding === 'br' ? 1 : 3
      return [
        { title: `100,000 ${coding}, changed`, path: LARGE, ...inCoding(coding), times: slow, before: change },
        { title: `100,000 ${coding}, again`, path: LARGE, ...inCoding(coding), times: slow },
        { title: `limit=1000 ${coding}`, path: `${LARGE}&limit=1000`, ...inCoding(coding), times: 10 * slow },
      ]
    }),
    { title: 'summary of 10,000, changed', path: SUMMARY, times: 20, before: changeSpecies },
    { title: 'summary of 10,000, again', path: SUMMARY, times: 20 },
    { title: 'summary of too many', path: `${READ}&summary=species`, times: 50 },
    { title: 'leaderboard of 100', path: '/get/leaderboard?kind=fish&limit=100', times: 100 },
    { title: '/', path: '/', times: 300 },
    { title: '/@Alex', path: '/@Alex', times: 300 },
    { title: '/events, at their end', path: EVENTS, times: 100 },
    { title: '/events, all 100,000', path: EVENTS, ...head('last-event-id', `${stream}-0.0-0.0`), times: 2 },
    { title: 'limit=1000 by cursor', path: `${LARGE}&limit=1000&cursor=${page.nextCursor}`, times: 30 },
    { title: 'HEAD 100,000', path: LARGE, method: 'HEAD', ...inCoding('gzip'), times: 5, before: change },
    { title: 'HEAD limit=1000', path: `${LARGE}&limit=1000`, method: 'HEAD', ...inCoding('gzip'), times: 30 },
    { title: 'limit=1 of 100,000', path: `${READ}&limit=1`, times: 200 },
    { title: 'If-None-Match, long', path: `${READ}&limit=1`, ...head('if-none-match', many('"a",')), times: 100 },
    { title: 'Accept-Encoding, long', path: `${READ}&limit=1`, ...inCoding(many('a;q=0.1,')), times: 100 },
    { title: 'X-Forwarded-For, long', path: '/demo/fish', ...head('x-forwarded-for', many('1.2.3.4,')), times: 100 },
    { title: 'x-api-key, long', path: '/demo/fish', ...head('x-api-key', many('k')), times: 100 },
    { title: 'session, long', path: '/admin/me', ...head('authorization', `Bearer a.${many('k')}.c`), times: 100 },
    { title: 'query, long', path: `${READ}&limit=1&${many('a=%41&')}`, times: 100 },
    { title: 'path of slashes', path: `/${many('/')}`, times: 100 },
    { title: 'path of dots', path: `/${many('%2e%2e/a/')}`, times: 100 },
    { title: 'name, long', path: `/get/fish?gamemode=earth&name=${many('a')}`, times: 100 },
    { title: 'cursor, long', path: `${READ}&cursor=${many('a')}`, times: 100 },
    { title: 'POST, garbage', path: '/post/fish?name=Alex', ...post, body: 'A'.repeat(262_144), times: 20 },
    { title: 'POST, forged', path: '/post/fish?name=Alex', ...post, body: forged, times: 20 },
    {
      title: 'POST, raw garbage',
      path: '/post/fish?name=Alex',
      ...post,
      body: new Uint8Array(262_144).fill(128),
      times: 20,
    },
    ...tokens.map((body) => ({ title: 'POST, a token', path: '/post/fish?name=Alex', ...post, body, times: 1 })),
    { title: 'POST, it again', path: '/post/fish?name=Alex', ...post, body: tokens[0] ?? '', times: 20 },
    { title: 'POST, too large', path: '/post/fish?name=Alex', ...post, body: 'A'.repeat(300_000), times: 10 },
    {
      title: 'wrong password (10 in 5 minutes)',
      path: '/get/user/key',
      ...head('authorization', `Basic ${btoa('Alex:x')}`),
      times: 2,
    },
  ]
}

async function table(rows: readonly Row[], url: URL): Promise<void> {
  const title = 'request'.padEnd(34)
  process.stdout.write(`${title}status      CPU ms     KB in    KB out  peak MB   x trivial\n`)
  await send(url, '/demo/fish')
  let trivial = { ms: 1, msByKb: 1 }
  for (const [at, row] of rows.entries()) {
    // Those of one title are one row, of which the last is shown.
    const { ms, kbIn, kbOut, status, peak } = await measured(url, row)
    const moved = kbIn + kbOut
    if (at === 0) trivial = { ms, msByKb: ms / moved }
    if (rows[at + 1]?.title === row.title) continue
    const times = moved > SMALL_KB ? ms / moved / trivial.msByKb : ms / trivial.ms
    const cells = [
      ms.toFixed(2).padStart(10),
      ...[kbIn, kbOut].map((kb) => kb.toFixed(1).padStart(9)),
      peak.padStart(8),
    ]
    const verdict = `${times.toFixed(1).padStart(8)} ${moved > SMALL_KB ? 'by KB' : 'each'}${times > GOAL ? `  MORE THAN ${GOAL}` : ''}`
    process.stdout.write(`${row.title.padEnd(34)}${status}    ${cells.join(' ')}   ${verdict}\n`)
  }
}

async function measured(url: URL, { path, times, before, ...sent }: Row) {
  resetPeak({ child })
  let [ms, kbIn, kbOut, status] = [0, 0, 0, 0]
  for (let count = 0; count < times; count += before ? 1 : times) {
    await before?.()
    const from = cpuOf({ child })
    for (let each = 0; each < (before ? 1 : times); each += 1) {
      const got = await send(url, path, sent)
      kbIn += got.written / 1024
      kbOut += got.read / 1024
      status = got.status
    }
    ms += (cpuOf({ child }) - from) / 1000
  }
  const { peak } = memoryOf({ child })
  return { ms: ms / times, kbIn: kbIn / times, kbOut: kbOut / times, status, peak: peak.toFixed(0) }
}

async function stalled(url: URL, { apiKey }: CreatedUser): Promise<void> {
  const resident = () => memoryOf({ child }).now
  for (const coding of ['identity', 'gzip', 'br']) {
    const before = resident()
    const sockets: Socket[] = []
    for (let at = 0; at < STALLED; at += 1) {
      const socket = connect(Number(url.port), url.hostname)
      sockets.push(socket)
      socket.on('error', () => {})
      const from = `x-forwarded-for: 10.0.${at >> 8}.${at & 255}\r\naccept-encoding: ${coding}\r\nx-api-key: ${apiKey}`
      socket.write(`GET ${LARGE} HTTP/1.1\r\nhost: a\r\n${from}\r\n\r\n`)
      await once(socket, 'readable')
    }
    let most = 0
    for (let step = 0; step < 20; step += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      most = Math.max(most, resident())
    }
    const each = ((most - before) / STALLED).toFixed(2)
    process.stdout.write(
      `${STALLED} that do not read (${coding}): ${before.toFixed(0)} MB, then ${most.toFixed(0)}: ${each} MB each\n`,
    )
    for (const socket of sockets) socket.destroy()
  }
}

async function waits(url: URL, alex: CreatedUser, change: () => Promise<unknown>): Promise<void> {
  const fernet = createFernet(alex.fernetKey)
  const key = { headers: { authorization: `Basic ${btoa(`Alex:${alex.password}`)}` } }
  const post = async () => {
    const headers = { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth', 'x-api-key': alex.apiKey }
    return { method: 'POST', headers, body: await fernet.encrypt('{"fish":"Cod","rarity":1}') }
  }
  const took = async (path: string, sent: Sent) => {
    const from = performance.now()
    const { status } = await send(url, path, sent)
    return `${(performance.now() - from).toFixed(0)} ms (${status})`
  }
  const both = async () => {
    const body = await post()
    const [keyTook, postTook] = await Promise.all([took('/get/user/key', key), took('/post/fish?name=Alex', body)])
    return `a key ${keyTook}, a post ${postTook}`
  }
  process.stdout.write(`alone: ${await both()}\n`)
  await change()
  let isOver = false
  const crowd = Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      send(url, at % 2 ? LARGE : `${LARGE}&limit=1000`, {
        headers: { 'accept-encoding': 'br', 'x-forwarded-for': '10.9.9.9' },
      }),
    ),
  ).finally(() => {
    isOver = true
  })
  const from = performance.now()
  process.stdout.write(`beside 20 reads in br: ${await both()}${isOver ? ', after them' : ''}`)
  await crowd
  process.stdout.write(`; the reads took ${(performance.now() - from).toFixed(0)} ms\n`)
}

async function json(
  url: URL,
  path: string,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const sent = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(value),
  }
  const { status, body } = await send(url, path, sent)
  if (status >= 300) throw new Error(`${path} was answered with ${status}: ${body}`)
  return JSON.parse(body.toString())
}

/** Sends a request; counts what went over its connection in both directions. */
async function send(url: URL, path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const target = { agent, hostname: url.hostname, port: url.port, method, path, headers }
  const outgoing = httpRequest(
    body === undefined ? target : { ...target, headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
  )
  const socketOf = once(outgoing, 'socket') as Promise<[Socket]>
  const response = once(outgoing, 'response') as Promise<[IncomingMessage]>
  const [socket] = await socketOf
  const [readBefore, writtenBefore] = [socket.bytesRead, socket.bytesWritten]
  outgoing.end(body)
  const [answer] = await response
  const pieces: Buffer[] = []
  for await (const piece of answer) pieces.push(piece)
  const { statusCode: status = 0, headers: answered } = answer
  const [read, written] = [socket.bytesRead - readBefore, socket.bytesWritten - writtenBefore]
  return { status, headers: answered, body: Buffer.concat(pieces), read, written }
}
