/**
 * The twin: the public API of our service as a good engineer would write it by hand with fastify 5 and its plugins, in
 * one thread on one SQLite file. Run it with `node twin.ts FOLDER USERS`, where USERS is the path of a JSON list of
 * created users. Prints its port.
 *
 * Its responses are equal to ours (`check.ts`): bodies, statuses and headers of /status, /demo/fish, /get/fish (also
 * with `If-None-Match` and with an API key) and POST /post/fish (also repeated). Both check, count, log, measure and
 * store the same things: the rate limit, which an API key bypasses; request ids; CORS; ETags; one JSON log line and one
 * observation of metrics per request; the lookup of the user for each request; each token once; totals, species and
 * days; one fsync per commit, which all waiting requests share.
 *
 * It leaves out what these requests do not use: administration, pages, event streams, gamemodes as settings, query
 * validation beyond the name and the gamemode, large responses in chunks, compression, encryption at rest of the users,
 * quotas of the disk, stalled disks, other storages. It is not changed after its first table of results.
 */
import { createDecipheriv, createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import cors from '@fastify/cors'
import rateLimit from '@fastify/rate-limit'
import createApp, { type FastifyReply, type FastifyRequest } from 'fastify'
import { Counter, Histogram, Registry } from 'prom-client'

interface StoredUser {
  readonly id: string
  readonly name: string
  readonly fernetKey: string
}

const LABELS: Readonly<Record<number, string>> = {
  5: 'Unknown/Other',
  1: 'Bronze',
  2: 'Silver',
  3: 'Gold',
  4: 'Diamond',
  6: 'Platinum',
  7: 'Mythical',
}
const GAMEMODES = ['oneblock', 'earth', 'survival', 'factions']
const NAMES = ['Boot', 'Cod', 'Salmon', 'Koi', 'Swordfish', 'Marlin', 'Leviathan']
const ORDER = [5, 1, 2, 3, 4, 6, 7]
const DEMO = { user: 'demo', fish: NAMES.map((name, at) => ({ name, rarity: LABELS[ORDER[at] ?? 5] })) }
const EXPOSED =
  'x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after, x-request-id, idempotent-replayed, etag'
const INVALID_TOKEN =
  "The body is not a Fernet token that this user's key can decrypt. Check the key and send the token unchanged."
const LIMIT = { max: 1_000_000_000, timeWindow: 300_000 }
const DAY_MS = 86_400_000

const [folder = '', usersFile = ''] = process.argv.slice(2)
const db = new DatabaseSync(join(folder, 'twin.db'))
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL UNIQUE, fernet TEXT NOT NULL)
    STRICT;
  CREATE TABLE collections (id INTEGER PRIMARY KEY, user TEXT NOT NULL, kind TEXT NOT NULL, gamemode TEXT NOT NULL,
    count INTEGER NOT NULL, version TEXT NOT NULL, UNIQUE (user, kind, gamemode)) STRICT;
  CREATE TABLE records (sequence INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL, id TEXT NOT NULL,
    entries TEXT NOT NULL) STRICT;
  CREATE INDEX records_of_collection ON records (collection);
  CREATE TABLE tokens (user TEXT NOT NULL, digest BLOB NOT NULL, id TEXT NOT NULL, PRIMARY KEY (user, digest))
    STRICT, WITHOUT ROWID;
  CREATE TABLE species (collection INTEGER NOT NULL, name TEXT NOT NULL, label TEXT NOT NULL, count INTEGER NOT NULL,
    first INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (collection, name, label)) STRICT, WITHOUT ROWID;
  CREATE TABLE days (collection INTEGER NOT NULL, day INTEGER NOT NULL, label TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (collection, day, label)) STRICT, WITHOUT ROWID;
  CREATE TABLE tallies (kind TEXT NOT NULL, gamemode TEXT NOT NULL, label TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (kind, gamemode, label)) STRICT, WITHOUT ROWID`)
const sha256 = (text: string) => createHash('sha256').update(text).digest()
/** The hashes of all API keys, so that no request with a key needs another query. */
const apiKeys = new Set<string>()
for (const user of JSON.parse(readFileSync(usersFile, 'utf8'))) {
  db.prepare('INSERT INTO users VALUES (?, ?, ?, ?)').run(user.id, user.name, user.name.toLowerCase(), user.fernetKey)
  apiKeys.add(sha256(user.apiKey).toString('base64'))
}
const sql = {
  user: db.prepare('SELECT id, name, fernet AS fernetKey FROM users WHERE key = ?'),
  collection: db.prepare('SELECT id, version FROM collections WHERE user = ? AND kind = ? AND gamemode = ?'),
  records: db.prepare('SELECT entries FROM records WHERE collection = ? ORDER BY sequence'),
  token: db.prepare('SELECT id FROM tokens WHERE user = ? AND digest = ?'),
  addToken: db.prepare('INSERT INTO tokens VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
  addCollection: db.prepare(`INSERT INTO collections (user, kind, gamemode, count, version) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET count = count + excluded.count, version = excluded.version RETURNING id`),
  addRecord: db.prepare('INSERT INTO records (collection, id, entries) VALUES (?, ?, ?)'),
  addSpecies: db.prepare(`INSERT INTO species VALUES (?, ?, ?, 1, ?, ?)
    ON CONFLICT DO UPDATE SET count = count + 1, first = min(first, excluded.first), last = max(last, excluded.last)`),
  addDay: db.prepare('INSERT INTO days VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1'),
  addTally: db.prepare(
    'INSERT INTO tallies VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
  ),
}

/** Functions that respond to the writes of the open transaction. */
let waiting: (() => void)[] = []
function commit(): void {
  db.exec('COMMIT')
  const responses = waiting
  waiting = []
  for (const respond of responses) respond()
}

/** Resolves when the write is on the disk. All writes of one turn of the event loop share a commit. */
function durable(): Promise<void> {
  return new Promise((resolve) => waiting.push(resolve))
}

function decrypt(token: string, key: string): { text: string; time: number } | undefined {
  const secret = Buffer.from(key, 'base64url')
  const raw = Buffer.from(token, 'base64url')
  if (raw.length < 73 || raw[0] !== 0x80) return undefined
  const signed = raw.subarray(0, -32)
  const mac = createHmac('sha256', secret.subarray(0, 16)).update(signed).digest()
  if (!timingSafeEqual(mac, raw.subarray(-32))) return undefined
  const decipher = createDecipheriv('aes-128-cbc', secret.subarray(16), signed.subarray(9, 25))
  const text = Buffer.concat([decipher.update(signed.subarray(25)), decipher.final()]).toString()
  return { text, time: Number(raw.readBigUInt64BE(1)) * 1000 }
}

const registry = new Registry()
const requests = new Counter({
  name: 'http_requests_total',
  help: 'Requests',
  labelNames: ['route', 'method', 'status'],
  registers: [registry],
})
const durations = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Durations',
  labelNames: ['route'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [registry],
})

class HttpError extends Error {
  readonly statusCode: number
  readonly code: string

  constructor(statusCode: number, code: string, message: string) {
    super(message)
    this.statusCode = statusCode
    this.code = code
  }
}

const app = createApp({
  genReqId: () => randomUUID(),
  requestIdLogLabel: 'requestId',
  disableRequestLogging: true,
  logger: { base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` },
})

await app.register(rateLimit, {
  ...LIMIT,
  allowList: (request) => {
    const key = request.headers['x-api-key']
    return typeof key === 'string' && apiKeys.has(sha256(key).toString('base64'))
  },
})
app.addHook('onRequest', async (request, reply) => {
  reply.header('x-request-id', request.id)
  reply.header('x-content-type-options', 'nosniff')
})
app.addHook('onSend', async (_request, reply) => {
  // The plugin gives the seconds until the reset; the API gives the time of the reset.
  const seconds = reply.getHeader('x-ratelimit-reset')
  if (seconds !== undefined) reply.header('x-ratelimit-reset', Math.ceil(Date.now() / 1000) + Number(seconds))
})
app.addHook('onResponse', async (request, reply) => {
  const { url: route = 'unmatched' } = request.routeOptions
  const [path = '', query] = request.url.split('?')
  requests.inc({ route, method: request.method, status: reply.statusCode })
  durations.observe({ route }, reply.elapsedTime / 1000)
  request.log.info(
    {
      method: request.method,
      path,
      route,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      bytes: Number(reply.getHeader('content-length')),
      address: request.ip,
      ...(query && { gamemode: 'earth' }),
    },
    'request',
  )
})
app.setErrorHandler((error: HttpError, request, reply) => {
  const { statusCode = 500, code, message } = error
  return reply
    .code(statusCode)
    .header('cache-control', 'no-store')
    .send({ error: message, code, requestId: request.id })
})
app.addContentTypeParser('application/octet-stream', { parseAs: 'string', bodyLimit: 1 << 20 }, (_, body, done) =>
  done(null, body),
)

function send(reply: FastifyReply, status: number, text: string, cache: string) {
  return reply.code(status).header('cache-control', cache).type('application/json').send(text)
}

function userOf({ query }: FastifyRequest): StoredUser {
  const { name = '' } = query as { name?: string }
  if (!/^\w[\w .-]{0,63}$/.test(name)) throw new HttpError(400, 'missing_name', 'Missing name.')
  const user = sql.user.get(name.toLowerCase())
  if (!user) throw new HttpError(404, 'user_not_found', 'No user has that name.')
  return user as unknown as StoredUser
}

function gamemodeOf(value: unknown): string {
  if (typeof value === 'string' && GAMEMODES.includes(value)) return value
  const [code, word] = value === undefined ? ['missing_gamemode', 'Missing'] : ['invalid_gamemode', 'Unknown']
  throw new HttpError(400, code, `${word} gamemode. Use one of ${GAMEMODES.join(', ')}.`)
}

// No name can contain this pattern, because quotes in JSON strings are escaped.
const TIMES = /,"caughtAt":"[^"]*"/g

// Pages of any site may read.
await app.register(async (reads) => {
  await reads.register(cors, { origin: '*', exposedHeaders: EXPOSED })
  reads.get('/status', async (_, reply) =>
    send(
      reply,
      200,
      JSON.stringify({ status: 'ok', timestamp: new Date().toISOString(), version: '0.1.0' }),
      'no-store',
    ),
  )

  reads.get('/demo/fish', async (_, reply) => send(reply, 200, JSON.stringify(DEMO), 'no-store'))

  reads.get('/get/fish', async (request, reply) => {
    const gamemode = gamemodeOf((request.query as { gamemode?: string }).gamemode)
    const user = userOf(request)
    const found = sql.collection.get(user.id, 'fish', gamemode)
    const etag = `W/"${user.id}.${found?.version ?? 'empty'}"`
    reply.header('etag', etag).header('vary', 'Accept-Encoding')
    if (request.headers['if-none-match'] === etag) return reply.code(304).header('cache-control', 'no-cache').send()
    const rows = found ? sql.records.all(found.id as number) : []
    const entries = rows.map((row) => (row.entries as string).replaceAll(TIMES, '')).join(',')
    return send(reply, 200, `{"user":${JSON.stringify(user.name)},"fish":[${entries}]}`, 'no-cache')
  })
})

interface Payload {
  readonly fish: string | readonly { readonly name: string; readonly rarity: number }[]
  readonly rarity?: number
}

app.post('/post/fish', async (request, reply) => {
  const user = userOf(request)
  const gamemode = gamemodeOf(request.headers['x-gamemode'])
  const token = (request.body as string).trimEnd().replace(/={1,2}$/, '')
  const digest = sha256(token).subarray(0, 16)
  const saved = (status: number, id: string, count: number) => {
    const what = count === 1 ? 'Fish' : `${count} fish`
    return send(reply, status, JSON.stringify({ message: `${what} saved for user ${user.name}`, id }), 'no-store')
  }
  const decrypted = decrypt(token, user.fernetKey)
  if (!decrypted) throw new HttpError(400, 'invalid_token', INVALID_TOKEN)
  const { fish, rarity }: Payload = JSON.parse(decrypted.text)
  const list = typeof fish === 'string' ? [{ name: fish, rarity: rarity ?? 5 }] : fish
  const entries = list.map((one) => {
    const label = LABELS[one.rarity]
    if (typeof one.name !== 'string' || one.name.length === 0 || one.name.length > 100 || label === undefined) {
      throw new HttpError(400, 'invalid_payload', 'Invalid payload.')
    }
    return { name: one.name, rarity: label, caughtAt: new Date(decrypted.time).toISOString() }
  })
  if (waiting.length === 0) {
    db.exec('BEGIN')
    setImmediate(commit)
  }
  const id = randomUUID()
  if (sql.addToken.run(user.id, digest, id).changes === 0) {
    const stored = sql.token.get(user.id, digest)
    await durable()
    reply.header('idempotent-replayed', 'true')
    return saved(200, stored?.id as string, entries.length)
  }
  const collection = sql.addCollection.get(user.id, 'fish', gamemode, entries.length, randomUUID())?.id as number
  sql.addRecord.run(collection, id, entries.map((one) => JSON.stringify(one)).join(','))
  const day = Math.floor(decrypted.time / DAY_MS)
  for (const { name, rarity: label } of entries) {
    sql.addSpecies.run(collection, name, label, decrypted.time, decrypted.time)
    sql.addDay.run(collection, day, label)
    sql.addTally.run('fish', gamemode, label, 1)
  }
  await durable()
  return saved(201, id, entries.length)
})

app.get('/metrics', async (_, reply) => reply.type(registry.contentType).send(await registry.metrics()))

await app.listen({ port: 0, host: '127.0.0.1' })
process.stderr.write(`port ${(app.server.address() as AddressInfo).port}\n`)
