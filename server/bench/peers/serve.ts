/**
 * Runs a peer to which the benchmarks compare the server: `node serve.ts KIND`. Prints the peer's port.
 * - `parts`: a durable POST with only the necessary parts in one thread: node:http, node:crypto, node:sqlite, group
 *   commit.
 * - `bytes FOLDER`: node:http, which responds to `/NAME` with a file of the folder that is in memory.
 * - `fastify`, `express`: these frameworks with their rate limiters and pino, since the server also has a rate limit
 *   and a log.
 */
import { createDecipheriv, createHmac, hash, timingSafeEqual } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const [kind = '', ...args] = process.argv.slice(2)
const PATHS = ['/status', '/demo/fish', '/get/fish'] as const
const fish = Array.from({ length: 10 }, (_, index) => ({ name: `Fish ${index}`, rarity: 'Bronze' }))
/** Computes the body for each request, as the server does. */
const bodyOf = (path: string) =>
  path === '/status'
    ? { status: 'ok', timestamp: new Date().toISOString(), version: '1.0.0' }
    : { user: 'Alex', fish: fish.map((one) => ({ ...one })) }
const NO_LIMIT = { max: 1e9, timeWindow: 300_000 }

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

function bytes(): Server {
  const [folder = ''] = args
  const files = new Map(readdirSync(folder).map((name) => [`/${name}`, readFileSync(join(folder, name))]))
  return createServer((request, response) => {
    const body = files.get(request.url ?? '') ?? ''
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  })
}

/** Stores each token once, and responds when the token is on the disk. */
function parts(): Server {
  const [folder = '', key = ''] = args
  const db = new DatabaseSync(join(folder, 'parts.db'))
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE records (id INTEGER PRIMARY KEY, user TEXT, digest TEXT UNIQUE, body TEXT) STRICT`)
  const insert = db.prepare('INSERT INTO records (user, digest, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const bytes = Buffer.from(key, 'base64url')
  let waiting: (() => void)[] = []
  const commit = () => {
    db.exec('COMMIT')
    const responses = waiting
    waiting = []
    for (const respond of responses) respond()
  }
  const store = (token: string, response: ServerResponse) => {
    const raw = Buffer.from(token, 'base64url')
    const [signed, mac] = [raw.subarray(0, -32), raw.subarray(-32)]
    if (!timingSafeEqual(createHmac('sha256', bytes.subarray(0, 16)).update(signed).digest(), mac)) {
      sendJson(response, 400, { error: 'invalid token' })
      return
    }
    const decipher = createDecipheriv('aes-128-cbc', bytes.subarray(16), signed.subarray(9, 25))
    const text = Buffer.concat([decipher.update(signed.subarray(25)), decipher.final()]).toString()
    JSON.parse(text)
    if (waiting.length === 0) {
      db.exec('BEGIN')
      setImmediate(commit)
    }
    insert.run('Alex', hash('sha256', token), text)
    waiting.push(() => sendJson(response, 201, { message: 'Fish saved for user Alex', id: crypto.randomUUID() }))
  }
  return createServer((request: IncomingMessage, response) => {
    let token = ''
    request.setEncoding('latin1').on('data', (chunk: string) => {
      token += chunk
    })
    request.on('end', () => store(token, response))
  })
}

async function fastify(): Promise<Server> {
  const { default: create } = await import('fastify')
  const app = create({ logger: true })
  await app.register((await import('@fastify/rate-limit')).default, NO_LIMIT)
  for (const path of PATHS) app.get(path, async () => bodyOf(path))
  await app.ready()
  return app.server
}

async function express(): Promise<Server> {
  const [{ default: create }, { rateLimit }, { pinoHttp }] = await Promise.all([
    import('express'),
    import('express-rate-limit'),
    import('pino-http'),
  ])
  const app = create()
  app.use(pinoHttp())
  app.use(rateLimit({ windowMs: NO_LIMIT.timeWindow, limit: NO_LIMIT.max }))
  for (const path of PATHS) app.get(path, (_, response) => void response.json(bodyOf(path)))
  return createServer(app)
}

const KINDS: Record<string, () => Server | Promise<Server>> = { parts, bytes, fastify, express }
const server = await KINDS[kind]?.()
server?.listen(0, '127.0.0.1', () => process.stderr.write(`port ${(server.address() as AddressInfo).port}\n`))
