import { HEADERS, VERSION_PREFIX } from '@fish-crab/sdk/contract'
import { adminRequest } from './generate-admin.ts'
import { keyRequest, origin, plainRead, readRequest } from './generate-reads.ts'
import { preflight, unknownPathRequest } from './generate-unknown.ts'
import { writeRequest } from './generate-writes.ts'
import { respelled } from './hostile.ts'
import type { PlainRequest } from './plain-request.ts'
import { createRandom, type Random } from './random.ts'
import type { Sequence } from './sequence.ts'
import { ALEX, BEA, MASTER_KEY, STARTS_AT } from './setup.ts'

type Generator = (sequence: Sequence) => PlainRequest | Promise<PlainRequest>

const GENERATORS: readonly (readonly [number, Generator])[] = [
  [26, readRequest],
  [24, writeRequest],
  [9, plainRead],
  [7, keyRequest],
  [20, adminRequest],
  [5, preflight],
  [9, unknownPathRequest],
]

/** Jumps of the clock in milliseconds, close to the lengths of a window, a session and the lifetime of a token. */
const JUMPS_MS = [1, 999, 1000, 60_000, 299_000, 299_999, 300_000, 300_001, 3_599_000, 3_600_000, 86_400_000] as const
const CLIENTS = 6

/**
 * Headers that some servers honour, but this service ignores. `range` is excluded, since with `range`, fetch changes
 * `accept-encoding`.
 */
const STRAY_HEADERS: readonly (readonly [string, string])[] = [
  ['if-range', '"x"'],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-host', 'evil.example'],
  ['x-original-url', '/admin/users'],
  ['if-match', '*'],
  ['if-modified-since', 'Sat, 01 Jan 2050 00:00:00 GMT'],
  ['cookie', 'session=1; admin=true'],
  ['accept', 'text/html;q=1, application/json;q=0'],
  ['x-long', 'l'.repeat(4000)],
]

/**
 * Generates valid, invalid, malformed and hostile requests from a seed, with jumps of the clock between the requests.
 * Requests that some transports cannot send are excluded: `CONNECT`, `TRACE` and a `GET` with a body, which fetch
 * forbids; unknown methods, control characters in headers and headers beyond 16 KB, which Node's HTTP parser rejects on
 * sockets. {@link respelled} lists the excluded paths.
 */
export async function generate(seed: number, count: number): Promise<PlainRequest[]> {
  const sequence: Sequence = { random: createRandom(seed), now: STARTS_AT, writes: [] }
  const requests: PlainRequest[] = []
  while (requests.length < count) requests.push(await next(sequence))
  return requests
}

async function next(sequence: Sequence): Promise<PlainRequest> {
  const { random } = sequence
  const advanceMs = random.chance(0.015) ? random.pick(JUMPS_MS) : random.chance(0.3) ? random.below(1500) : 0
  sequence.now += advanceMs
  const request = await random.weighted(GENERATORS)(sequence)
  return {
    ...request,
    method: method(random, request),
    target: target(random, request.target),
    headers: [...request.headers, ...commonHeaders(random, request)],
    ...(advanceMs > 0 ? { advanceMs } : {}),
    ...(random.chance(0.01) ? { absolute: true } : {}),
  }
}

function method(random: Random, { method, body }: PlainRequest): string {
  if (method === 'GET' && random.chance(0.08)) return 'HEAD'
  if (!random.chance(0.03)) return method
  return random.pick(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', ...(body ? [] : ['GET', 'HEAD'])])
}

function target(random: Random, target: string): string {
  const [path = '', query] = target.split(/\?(.*)/s)
  const versioned = random.chance(0.1) ? `${random.chance(0.9) ? VERSION_PREFIX : '/v2'}${path}` : path
  const spelled = random.chance(0.12) ? respelled(random, versioned) : versioned
  return query === undefined ? spelled : `${spelled}?${query}`
}

function commonHeaders(random: Random, { headers }: PlainRequest): (readonly [string, string])[] {
  const more: (readonly [string, string])[] = [['x-forwarded-for', forwardedFor(random)]]
  const given = new Set(headers.map(([name]) => name))
  if (!given.has(HEADERS.apiKey) && random.chance(0.3)) more.push([HEADERS.apiKey, apiKey(random)])
  if (!given.has('origin') && random.chance(0.12)) more.push(['origin', origin(random)])
  if (random.chance(0.15)) more.push([HEADERS.requestId, requestId(random)])
  if (random.chance(0.04)) more.push(random.pick(STRAY_HEADERS))
  // Always set `accept-encoding`. Otherwise fetch would request compressed responses, but other clients would not.
  if (!given.has('accept-encoding')) more.push(['accept-encoding', 'identity'])
  return more
}

function forwardedFor(random: Random): string {
  // One client sends more requests than other clients, so that this client reaches the rate limit and the limit of
  // failed logins.
  const client = `198.51.100.${random.chance(0.35) ? 0 : random.below(CLIENTS)}`
  return random.weighted([
    [30, client],
    [2, `203.0.113.${random.below(250)}, ${client}`],
    [1, `::ffff:${client}`],
    [1, `2001:db8::${random.below(3)}:${random.below(9)}`],
    [1, `[2001:db8::1]:443`],
    [1, 'unknown'],
    [1, `${client}, `],
    [1, '256.1.1.1'],
  ])
}

/** Picks the master key, a personal key, the key of a created user, or an invalid key. */
function apiKey(random: Random): string {
  return random.pick([
    ALEX.apiKey,
    ALEX.apiKey,
    BEA.apiKey,
    MASTER_KEY,
    '{{apiKey}}',
    'wrong',
    `${ALEX.apiKey}x`,
    '\xe9',
  ])
}

function requestId(random: Random): string {
  return random.pick(['mine-1', 'a'.repeat(64), 'a'.repeat(65), 'with space', 'a,b', '\xfc', '<b>', '_._-'])
}
