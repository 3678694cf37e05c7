import { isDeepStrictEqual } from 'node:util'
import type { CreatedUser } from '@fish-crab/sdk/contract'
import { encryptPosts, get } from './load.ts'
import type { Server } from './processes.ts'

/** Values that differ for each server and each request. Other differences are faults of the benchmark. */
const CHANGING = [
  [/[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, 'UUID'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/W\/"[^"]*"/g, 'ETAG'],
  // fastify names the only encoding of JSON.
  [/^application\/json; charset=utf-8$/g, 'application/json'],
] as const
/** Headers of the connection, and figures of the rate limit, whose windows begin at different times. */
const IGNORED = new Set(['date', 'connection', 'keep-alive', 'x-ratelimit-remaining', 'x-ratelimit-reset'])

interface Sent {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

async function send({ port }: Server, text: string): Promise<Sent> {
  const [head = '', body] = text.split('\r\n\r\n')
  const [line = '', ...lines] = head.split('\r\n')
  const [method = '', path = ''] = line.split(' ')
  const headers = lines.map((header) => header.split(': ') as [string, string])
  const init = { method, headers: headers.filter(([name]) => name !== 'Host'), ...(body ? { body } : {}) }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
  const steady = (value: string) =>
    CHANGING.reduce((result, [pattern, name]) => result.replaceAll(pattern, name), value)
  const received = [...response.headers].filter(([name]) => !IGNORED.has(name))
  return {
    status: response.status,
    headers: Object.fromEntries(received.map(([name, value]) => [name, steady(value)])),
    body: steady(await response.text()),
  }
}

/**
 * Checks that two servers respond equally to the requests of the benchmark.
 * @throws Error with both responses if they differ
 */
export async function requireEqual(ours: Server, twin: Server, user: CreatedUser): Promise<void> {
  const path = `/get/fish?name=${user.name.toLowerCase()}&gamemode=survival`
  const [post = ''] = await encryptPosts(user, { count: 1, catches: 10, gamemode: 'survival' })
  const requests = [
    get('/status')(),
    get('/demo/fish')(),
    get(path)(),
    post,
    post,
    get(path)(),
    get(path, { 'x-api-key': user.apiKey })(),
    get('/get/fish?name=Nobody&gamemode=earth')(),
    post.replace('x-gamemode: survival', 'x-gamemode: nowhere'),
    post.replace(/....$/, 'AAAA'),
  ]
  for (const request of requests) {
    const [one, other] = [await send(ours, request), await send(twin, request)]
    if (isDeepStrictEqual(one, other)) continue
    throw new Error(`The responses differ.\n${request}\n${JSON.stringify([one, other], undefined, 2)}`)
  }
  for (const server of [ours, twin]) {
    const { headers } = await fetch(`http://127.0.0.1:${server.port}${path}`)
    const { status, body } = await send(server, get(path, { 'If-None-Match': headers.get('etag') ?? '' })())
    if (status !== 304 || body !== '') throw new Error(`An unchanged collection has status ${status}.`)
  }
}
