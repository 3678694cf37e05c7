import { GAMEMODES, ROUTES } from '@fish-crab/sdk/contract'
import { hostileText, junkPiece } from './hostile.ts'
import type { PlainRequest } from './plain-request.ts'
import type { Random } from './random.ts'
import type { Sequence } from './sequence.ts'
import { ALEX, BEA, CLERK, PAGE_ORIGIN, ROOT, STAR, USERS } from './setup.ts'

type Pair = readonly [string, string]

/** Joins pairs to a query string, and does not encode the pairs. */
export function query(pairs: readonly Pair[]): string {
  return pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`
}

/** Picks the name of a user, mostly of an existing user. */
export function userName(random: Random): string {
  return random.weighted([
    [8, ALEX.name],
    [4, BEA.name],
    [1, STAR.name],
    [1, ALEX.name.toUpperCase()],
    [2, `made${random.below(6)}`],
    [1, 'ghost'],
    [2, hostileText(random)],
  ])
}

export function gamemode(random: Random): string {
  return random.weighted([
    [12, 'earth'],
    [4, random.pick(GAMEMODES)],
    [1, 'Earth'],
    [1, hostileText(random)],
  ])
}

/** Generates a request to `/get/fish` or `/get/crab`: whole, paged, conditional or compressed. */
export function readRequest({ random }: Sequence): PlainRequest {
  const pairs: Pair[] = []
  const headers: Pair[] = []
  if (random.chance(0.95)) pairs.push(['name', userName(random)])
  if (random.chance(0.95)) pairs.push(['gamemode', gamemode(random)])
  if (random.chance(0.3))
    pairs.push([
      'detail',
      random.weighted([
        [6, 'full'],
        [1, 'FULL'],
        [1, hostileText(random)],
      ]),
    ])
  if (random.chance(0.3)) pairs.push(['limit', pageSize(random)])
  if (random.chance(0.2)) pairs.push(['cursor', cursor(random)])
  if (random.chance(0.08)) pairs.push([junkPiece(random), junkPiece(random)])
  if (random.chance(0.05)) pairs.push(random.pick(pairs.length > 0 ? pairs : [['name', '']]))
  if (random.chance(0.2)) headers.push(['if-none-match', condition(random)])
  if (random.chance(0.3)) headers.push(['accept-encoding', coding(random)])
  const path = random.chance(0.6) ? ROUTES.getFish.path : ROUTES.getCrab.path
  return { method: 'GET', target: path + query(shuffledAtTimes(random, pairs)), headers }
}

/** Generates a read from an endpoint without parameters, sometimes with unexpected parameters. */
export function plainRead({ random }: Sequence): PlainRequest {
  const { status, demoFish, demoCrab, livez, readyz, openapi } = ROUTES
  const path = random.weighted([
    [6, status.path],
    [3, demoFish.path],
    [3, demoCrab.path],
    [1, livez.path],
    [1, readyz.path],
    [0.3, openapi.path],
  ])
  const junk = random.chance(0.2) ? `?${junkPiece(random)}=${junkPiece(random)}&&=&` : ''
  return { method: 'GET', target: path + junk, headers: random.chance(0.1) ? [['accept', 'text/html']] : [] }
}

/** Generates a request to `/get/user/key` with correct, wrong or malformed credentials. */
export function keyRequest({ random }: Sequence): PlainRequest {
  const pairs: Pair[] = random.chance(0.5) ? [['name', userName(random)]] : []
  const [name, password] = random.weighted<Pair>([
    [6, (({ name, password }) => [name, password] as const)(random.pick(USERS))],
    [3, [ROOT.username, ROOT.password]],
    [1, [CLERK.username, CLERK.password]],
    [3, [random.pick(USERS).name, 'wrong']],
    [1, [ALEX.name.toLowerCase(), ALEX.password]],
    [1, ['', '']],
    [1, ['ghost', 'ghost']],
    [1, ['a:b:c', ':']],
    [1, ['é🐟', '\0']],
  ])
  const basic = Buffer.from(`${name}:${password}`).toString('base64')
  const authorization = random.weighted([
    [12, `Basic ${basic}`],
    [1, `basic   ${basic}`],
    [1, `Basic ${basic}=`],
    [1, `Basic ${basic.slice(0, -3)}`],
    [1, 'Basic'],
    [1, 'Basic \xff\xfe'],
    [1, `Bearer ${basic}`],
    [1, ''],
  ])
  const headers: Pair[] = random.chance(0.9) ? [['authorization', authorization]] : []
  return { method: 'GET', target: ROUTES.getUserKey.path + query(pairs), headers }
}

export function origin(random: Random): string {
  return random.pick([
    PAGE_ORIGIN,
    PAGE_ORIGIN,
    `${PAGE_ORIGIN}/`,
    PAGE_ORIGIN.toUpperCase(),
    'null',
    'https://evil.example',
  ])
}

function pageSize(random: Random): string {
  return random.weighted([
    [8, String(1 + random.below(60))],
    [1, '1000'],
    [1, random.pick(['0', '-1', '1001', '1.5', '', '0x10', '1e2', '%20%205', '9'.repeat(30)])],
  ])
}

export function cursor(random: Random): string {
  return random.weighted([
    [6, '{{cursor}}'],
    [1, random.pick(['1.0', '2.5', 'zzzzzzzzzz.zzz', '0.0', 'x', '-1.-1', '%2e.%2e'])],
    [1, hostileText(random)],
  ])
}

function condition(random: Random): string {
  return random.pick(['{{etag}}', '{{etag}}', '{{etag}}', '"x", {{etag}}', '*', 'W/"x"', 'junk', '"{{etag}}"', ',,,'])
}

function coding(random: Random): string {
  // Brotli is rare, since the platform's encoder takes half a second for the largest responses.
  return random.weighted([
    [12, random.pick(['gzip', 'gzip, br', 'identity;q=0, gzip', '*'])],
    [4, random.pick(['br', 'br;q=1, gzip;q=0.5'])],
    [4, random.pick(['deflate', 'gzip;q=0', '', 'gzip;q=x, br;q=2', '*;q=0'])],
  ])
}

function shuffledAtTimes<Item>(random: Random, list: readonly Item[]): readonly Item[] {
  return random.chance(0.2) ? [...list].reverse() : list
}
