import { ROUTES } from '@fish-crab/sdk/contract'
import { cursor, gamemode, query, userName } from './generate-reads.ts'
import { payload } from './generate-writes.ts'
import { hostileText } from './hostile.ts'
import type { PlainBody, PlainRequest } from './plain-request.ts'
import type { Random } from './random.ts'
import type { Sequence } from './sequence.ts'
import { ALEX, CLERK, JSON_TYPE, ROOT } from './setup.ts'

type Pair = readonly [string, string]
type AdminRoute = { readonly method: string; readonly path: string }

/** Generates an admin request with or without a session, or a login with valid or invalid credentials. */
export function adminRequest({ random }: Sequence): PlainRequest {
  if (random.chance(0.15)) return login(random)
  const route = random.pick<AdminRoute>(ADMIN)
  const target = filled(random, route) + query(pairsFor(random, route))
  const headers: Pair[] = random.chance(0.95) ? [['authorization', session(random)]] : []
  if (route.method !== 'POST') return { method: route.method, target, headers }
  const body = random.chance(0.92) ? jsonOf(bodyFor(random, route)) : brokenJson(random)
  return { method: 'POST', target, headers: random.chance(0.95) ? [...headers, JSON_TYPE] : headers, body }
}

/** The admin routes to pick from. Deletions and resets of users are rare, since few users would remain to compare. */
const ADMIN: readonly AdminRoute[] = Object.entries(ROUTES)
  .filter(([name, { access }]) => access === 'admin' && name !== 'adminLogin')
  .flatMap(([name, route]) =>
    Array.from({ length: name === 'deleteUser' || name === 'resetUser' ? 1 : 4 }, () => route),
  )

function login(random: Random): PlainRequest {
  const credentials = random.weighted<unknown>([
    [8, ROOT],
    [2, CLERK],
    [1, { ...ROOT, username: ROOT.username.toUpperCase() }],
    [2, { ...ROOT, password: 'wrong' }],
    [1, { username: hostileText(random), password: '' }],
    [1, { username: ALEX.name, password: ALEX.password }],
    [1, { username: 1 }],
    [1, null],
  ])
  const body = random.chance(0.95) ? jsonOf(credentials) : brokenJson(random)
  return { method: 'POST', target: ROUTES.adminLogin.path, headers: [JSON_TYPE], body }
}

function session(random: Random): string {
  return random.weighted([
    [30, 'Bearer {{session}}'],
    [1, 'bearer  {{session}}'],
    [1, 'Bearer {{session}}x'],
    [1, 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJyb290In0.'],
    [1, 'Bearer'],
    [1, `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`],
    [1, 'Bearer \xe9'],
  ])
}

/**
 * Matches dot segments, which are replaced: URLs resolve dot segments, and the server refuses raw requests that contain
 * them.
 */
const DOT_SEGMENTS = /\/\.{1,2}(?=\/|$)/g

function filled(random: Random, route: AdminRoute): string {
  return route.path
    .replace(':name', () =>
      random.weighted([
        // Deletions of seeded users are rare, since a deleted user has no data to compare.
        [route === ROUTES.deleteUser ? 0.2 : 3, ALEX.name],
        [6, `made${random.below(6)}`],
        [route === ROUTES.deleteUser ? 0.2 : 3, userName(random)],
      ]),
    )
    .replace(':username', () =>
      random.weighted([
        [6, `admin${random.below(3)}`],
        [1, 'clerk'],
        [1, 'root'],
        [1, hostileText(random)],
      ]),
    )
    .replace(':id', () =>
      random.weighted([
        [6, '{{id}}'],
        [1, 'none'],
        [1, hostileText(random)],
      ]),
    )
    .replace(DOT_SEGMENTS, '/...')
}

function pairsFor(random: Random, { path }: AdminRoute): Pair[] {
  const pairs: Pair[] = []
  if (/\/(fish|crab)/.test(path) || path === ROUTES.leaderboard.path) pairs.push(['gamemode', gamemode(random)])
  if (path === ROUTES.leaderboard.path) pairs.push(['type', random.pick(['fish', 'crab', 'fish', 'crab', 'whale', ''])])
  if (path === ROUTES.listUsers.path && random.chance(0.4)) {
    pairs.push(['search', random.pick(['a', 'A', 'made', '*', hostileText(random)])])
  }
  if (path === ROUTES.listUsers.path && random.chance(0.3)) pairs.push(['totals', random.pick(['true', 'false', 'x'])])
  if (random.chance(0.3)) pairs.push(['limit', random.pick(['1', '2', '10', '1000', '0', 'x', ''])])
  if (random.chance(0.15)) pairs.push(['cursor', cursor(random)])
  return random.chance(0.95) ? pairs : []
}

function bodyFor(random: Random, { path }: AdminRoute): unknown {
  if (path === ROUTES.createUser.path) {
    return random.weighted<unknown>([
      [8, { name: `made${random.below(6)}`, ...(random.chance(0.5) ? { password: 'long enough' } : {}) }],
      [1, { name: ALEX.name.toUpperCase() }],
      [1, { name: decodeURIComponent(hostileText(random)), password: 'x' }],
      [1, {}],
    ])
  }
  if (path === ROUTES.createAdmin.path) {
    return random.weighted<unknown>([
      [
        6,
        {
          username: `admin${random.below(3)}`,
          password: 'long enough',
          role: random.pick(['admin', 'superadmin', 'king']),
        },
      ],
      [1, { ...ROOT }],
      [1, []],
    ])
  }
  if (path === ROUTES.resetUser.path) return { type: random.pick(['password', 'fernet', 'api-key', 'all']) }
  return payload(random, path.endsWith('crab') ? 'crab' : 'fish', ALEX.name)
}

function jsonOf(value: unknown): PlainBody {
  return { latin1: Buffer.from(JSON.stringify(value)).toString('latin1') }
}

function brokenJson(random: Random): PlainBody {
  return { latin1: random.pick(['', '{', '{}{}', '\xff\xfe', '{"name":"\\ud800"}', `${'['.repeat(5000)}`, '"', 'NaN']) }
}
