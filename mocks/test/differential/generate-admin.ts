import { ROUTES } from '@fish-crab/sdk/contract'
import type { Dice } from './dice.ts'
import { cursor, gamemode, query, userName } from './generate-reads.ts'
import { payload } from './generate-writes.ts'
import { hostileText } from './hostile.ts'
import type { PlainBody, PlainRequest } from './plain-request.ts'
import type { Sequence } from './sequence.ts'
import { ALEX, CLERK, JSON_TYPE, ROOT } from './setup.ts'

type Pair = readonly [string, string]
type AdminRoute = { readonly method: string; readonly path: string }

/** The endpoints of administrators, with a session or without, and logins of both kinds. */
export function adminRequest({ dice }: Sequence): PlainRequest {
  if (dice.chance(0.15)) return login(dice)
  const route = dice.pick<AdminRoute>(ADMIN)
  const target = filled(dice, route) + query(pairsFor(dice, route))
  const headers: Pair[] = dice.chance(0.95) ? [['authorization', session(dice)]] : []
  if (route.method !== 'POST') return { method: route.method, target, headers }
  const body = dice.chance(0.92) ? jsonOf(bodyFor(dice, route)) : brokenJson(dice)
  return { method: 'POST', target, headers: dice.chance(0.95) ? [...headers, JSON_TYPE] : headers, body }
}

/** Removing all users would leave little to compare, so that is rare. */
const ADMIN: readonly AdminRoute[] = Object.entries(ROUTES)
  .filter(([name, { access }]) => access === 'admin' && name !== 'adminLogin')
  .flatMap(([name, route]) =>
    Array.from({ length: name === 'deleteUser' || name === 'resetUser' ? 1 : 4 }, () => route),
  )

function login(dice: Dice): PlainRequest {
  const credentials = dice.weighted<unknown>([
    [8, ROOT],
    [2, CLERK],
    [1, { ...ROOT, username: ROOT.username.toUpperCase() }],
    [2, { ...ROOT, password: 'wrong' }],
    [1, { username: hostileText(dice), password: '' }],
    [1, { username: ALEX.name, password: ALEX.password }],
    [1, { username: 1 }],
    [1, null],
  ])
  const body = dice.chance(0.95) ? jsonOf(credentials) : brokenJson(dice)
  return { method: 'POST', target: ROUTES.adminLogin.path, headers: [JSON_TYPE], body }
}

function session(dice: Dice): string {
  return dice.weighted([
    [30, 'Bearer {{session}}'],
    [1, 'bearer  {{session}}'],
    [1, 'Bearer {{session}}x'],
    [1, 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJyb290In0.'],
    [1, 'Bearer'],
    [1, `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`],
    [1, 'Bearer \xe9'],
  ])
}

function filled(dice: Dice, route: AdminRoute): string {
  return route.path
    .replace(':name', () =>
      dice.weighted([
        // Who is gone has nothing to compare any more.
        [route === ROUTES.deleteUser ? 0.2 : 3, ALEX.name],
        [6, `made${dice.below(6)}`],
        [route === ROUTES.deleteUser ? 0.2 : 3, userName(dice)],
      ]),
    )
    .replace(':username', () =>
      dice.weighted([
        [6, `admin${dice.below(3)}`],
        [1, 'clerk'],
        [1, 'root'],
        [1, hostileText(dice)],
      ]),
    )
    .replace(':id', () =>
      dice.weighted([
        [6, '{{id}}'],
        [1, 'none'],
        [1, hostileText(dice)],
      ]),
    )
}

function pairsFor(dice: Dice, { path }: AdminRoute): Pair[] {
  const pairs: Pair[] = []
  if (/\/(fish|crab)/.test(path) || path === ROUTES.leaderboard.path) pairs.push(['gamemode', gamemode(dice)])
  if (path === ROUTES.leaderboard.path) pairs.push(['type', dice.pick(['fish', 'crab', 'fish', 'crab', 'whale', ''])])
  if (path === ROUTES.listUsers.path && dice.chance(0.4)) {
    pairs.push(['search', dice.pick(['a', 'A', 'made', '*', hostileText(dice)])])
  }
  if (dice.chance(0.3)) pairs.push(['limit', dice.pick(['1', '2', '10', '1000', '0', 'x', ''])])
  if (dice.chance(0.15)) pairs.push(['cursor', cursor(dice)])
  return dice.chance(0.95) ? pairs : []
}

function bodyFor(dice: Dice, { path }: AdminRoute): unknown {
  if (path === ROUTES.createUser.path) {
    return dice.weighted<unknown>([
      [8, { name: `made${dice.below(6)}`, ...(dice.chance(0.5) ? { password: 'long enough' } : {}) }],
      [1, { name: ALEX.name.toUpperCase() }],
      [1, { name: decodeURIComponent(hostileText(dice)), password: 'x' }],
      [1, {}],
    ])
  }
  if (path === ROUTES.createAdmin.path) {
    return dice.weighted<unknown>([
      [
        6,
        {
          username: `admin${dice.below(3)}`,
          password: 'long enough',
          role: dice.pick(['admin', 'superadmin', 'king']),
        },
      ],
      [1, { ...ROOT }],
      [1, []],
    ])
  }
  if (path === ROUTES.resetUser.path) return { type: dice.pick(['password', 'fernet', 'api-key', 'all']) }
  return payload(dice, path.endsWith('crab') ? 'crab' : 'fish', ALEX.name)
}

function jsonOf(value: unknown): PlainBody {
  return { latin1: Buffer.from(JSON.stringify(value)).toString('latin1') }
}

function brokenJson(dice: Dice): PlainBody {
  return { latin1: dice.pick(['', '{', '{}{}', '\xff\xfe', '{"name":"\\ud800"}', `${'['.repeat(5000)}`, '"', 'NaN']) }
}
