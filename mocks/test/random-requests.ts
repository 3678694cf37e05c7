import type { MockOptions } from '@fish-crab/mocks'
import { GAMEMODES, HEADERS, LIMITS, MEDIA_TYPES, ROUTES, VERSION_PREFIX } from '@fish-crab/sdk/contract'
import fc from 'fast-check'
import { HOSTILE_TEXTS } from '../../scripts/test-support/hostile-texts.ts'

const fish = (count: number, nameLength = 0) =>
  Array.from({ length: count }, (_, index) => ({ name: `Fish ${index}`.padEnd(nameLength, '.'), rarity: 1 as const }))
const FERNET_KEY = Buffer.alloc(32, 1).toString('base64')
const OTHER_KEY = Buffer.alloc(32, 2).toString('base64')
const API_KEY = `key-of-alex-${'k'.repeat(24)}`
const MASTER = `master-${'m'.repeat(32)}`
const ROOT = { username: 'root', password: 'password of root' }
const ALEX = { name: 'Alex', password: 'password of Alex', fernetKey: FERNET_KEY, apiKey: API_KEY }
const ORIGIN = 'https://pages.example'

/** The service compresses the fish of Alex, and streams the fish of Bea. */
export const OPTIONS = {
  seed: {
    users: [
      { ...ALEX, fish: { earth: fish(120) }, crab: { earth: [{}] } },
      { name: 'Bea', fish: { earth: fish(2500, 100) } },
    ],
    admins: [ROOT],
  },
  startAt: Date.UTC(2026, 2, 1, 12),
  keys: { master: MASTER },
  allowedOrigins: [ORIGIN],
  limits: { requests: 8 },
  trustProxy: 1,
} satisfies MockOptions

const pick = fc.constantFrom
const mostly = <One, Other>(usual: fc.Arbitrary<One>, odd: fc.Arbitrary<Other>, weight = 8) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd })
/** An object with some of the fields. */
const some = <Fields extends Record<string, fc.Arbitrary<unknown>>>(fields: Fields) =>
  fc.record(fields, { requiredKeys: [] })

const hostile = pick(...HOSTILE_TEXTS.map((text) => encodeURIComponent(text.toWellFormed())))
const player = mostly(fc.constant('Alex'), fc.oneof(pick('Bea', 'made1', 'ALEX', 'ghost'), hostile), 3)
const query = some({
  name: player,
  gamemode: mostly(pick('earth', ...GAMEMODES), hostile),
  detail: pick('full', 'FULL'),
  limit: pick('1', '60', '1000', '0', '1001', '1.5', '', '0x10'),
  cursor: mostly(fc.constant('{{nextCursor}}'), hostile),
  type: pick('fish', 'crab', 'whale'),
  search: mostly(pick('a', '*'), hostile),
})

const name = mostly(pick('Salmon', '🐟'.repeat(100)), pick<unknown>(...HOSTILE_TEXTS, 'x'.repeat(101), null, 7))
const rarity = mostly(fc.integer({ min: 1, max: 7 }), pick(0, 8, 1.5, '3', null))
const caughtAt = pick('2026-01-01T00:00:00Z', '2026-13-01', 'soon')
const entries = fc.array(fc.oneof(fc.record({ name, rarity }), some({ name, rarity, caughtAt })), { maxLength: 4 })
const catches = fc.oneof(
  fc.record({ fish: name, rarity }),
  some({ user: pick('Alex', 'Bea'), gamemode: pick('earth', 'factions'), fish: entries, crab: entries }),
  pick<unknown>({ fish: fish(LIMITS.entriesPerWrite + 1) }, null, 1, 'text', []),
)

/** The body of a request. With a key, the text is encrypted. */
type Body = { readonly text: string; readonly fernetKey?: string }
const json = (value: fc.Arbitrary<unknown>) =>
  mostly(
    value.map((one) => JSON.stringify(one)),
    pick('', '{', '\xff\xfe', '['.repeat(5000)),
  ).map((text) => ({ text }))
const sealed = fc.record({
  text: catches.map((one) => JSON.stringify(one)),
  fernetKey: pick(FERNET_KEY, FERNET_KEY, OTHER_KEY),
})
const long = pick(LIMITS.bodyBytes, LIMITS.bodyBytes + 1).map((length) => ({ text: 'A'.repeat(length) }))
const post: fc.Arbitrary<Body> = mostly(sealed, fc.oneof(long, json(catches)), 4)
const BODIES: Readonly<Record<string, fc.Arbitrary<Body>>> = {
  [ROUTES.postFish.path]: post,
  [ROUTES.postCrab.path]: post,
  [ROUTES.adminLogin.path]: json(mostly(fc.constant(ROOT), pick<unknown>({ ...ROOT, password: 'wrong' }, null), 3)),
  [ROUTES.createUser.path]: json(mostly(fc.constant({ name: 'made1', password: 'long enough' }), pick({}), 3)),
  [ROUTES.createAdmin.path]: json(pick<unknown>({ username: 'clerk', password: 'long enough', role: 'admin' }, [])),
  [ROUTES.resetUser.path]: json(pick({ type: 'all' }, { type: 'x' })),
  [ROUTES.addUserFish.path]: json(catches),
  [ROUTES.addUserCrab.path]: json(catches),
}

const basic = (password: string) => `Basic ${Buffer.from(`Alex:${password}`).toString('base64')}`
const session = pick('Bearer {{token}}', 'Bearer {{token}}', 'Bearer {{token}}x', 'Bearer')
const optionalHeaders = some({
  [HEADERS.gamemode]: mostly(pick('earth', 'factions'), pick('Earth', '\xe9')),
  [HEADERS.apiKey]: pick(API_KEY, MASTER, 'wrong', '\xe9'),
  [HEADERS.requestId]: pick('mine-1', 'a'.repeat(65), 'with space', '\xfc'),
  authorization: mostly(session, pick(basic(ALEX.password), basic('wrong'), 'Basic \xff'), 2),
  origin: pick(ORIGIN, ORIGIN.toUpperCase(), 'null', 'https://evil.example'),
  'access-control-request-method': pick('GET', 'DELETE', 'NONSENSE'),
  'if-none-match': pick('{{etag}}', '"x", {{etag}}', '*', 'junk'),
})
/** Without `accept-encoding`, only fetch would request a compressed response. */
const headers = fc.record({
  'accept-encoding': mostly(fc.constant('identity'), pick('gzip', 'br', '*', 'gzip;q=0'), 3),
  'x-forwarded-for': mostly(
    fc.constant('198.51.100.1'),
    pick('198.51.100.2', '2001:db8::1', 'unknown', '203.0.113.1, ::1'),
    2,
  ),
})

/** An event stream has no end. The routes that most requests need come more often. */
const { events, getFish, getCrab, postFish, postCrab, adminLogin, createUser, ...others } = ROUTES
const FREQUENT = [getFish, getCrab, postFish, postCrab, adminLogin, createUser]
type AnyRoute = { readonly method: string; readonly path: string }
const route = mostly(pick<AnyRoute>(...FREQUENT), pick<AnyRoute>(...Object.values(others)), 2)
const JUNK = ['%zz', '%c3%28', '%00', '%2f', ';a=b', '*', '+', '@', 'http://other.example', 'a'.repeat(300)]
const misspelled = (path: string) =>
  pick(`${path}/`, `/${path}`, path.toUpperCase(), path.replace('e', '%65'), ...JUNK.map((junk) => `${path}/${junk}`))

/**
 * A request that every transport can send. `{{etag}}` stands for the last entity tag, and `{{id}}`, `{{token}}` and
 * `{{nextCursor}}` stand for the last field with this name.
 */
export const randomRequest = route.chain(({ method, path }) => {
  const named = fc
    .tuple(player, pick('{{id}}', '{{id}}', 'none'), mostly(pick('', VERSION_PREFIX), fc.constant('/v2')))
    .chain((parts) => {
      const [name, id, version] = parts
      // A URL without dot segments: clients resolve them before they send.
      const filled = path.replace(':id', id).replace(/:\w+/g, () => name.replace(/^\.{1,2}$/, '...'))
      return mostly(fc.constant(version + filled), misspelled(version + filled), 20)
    })
  const usualType = path.startsWith('/post') ? MEDIA_TYPES.token : MEDIA_TYPES.json
  const contentType = mostly(fc.constant(usualType), pick(MEDIA_TYPES.json, 'text/plain', ';'))
  const body = method === 'POST' ? (BODIES[path] ?? json(pick({ gamemode: 'earth' }, {}))) : fc.constant(undefined)
  return fc.record({
    method: mostly(fc.constant(method), pick('HEAD', 'OPTIONS', 'DELETE', 'PUT'), 12),
    target: fc.tuple(named, query).map(([target, pairs]) => {
      return `${target}?${Object.entries(pairs)
        .map((pair) => pair.join('='))
        .join('&')}`
    }),
    headers: fc.tuple(headers, contentType, optionalHeaders).map(([all, type, more]) => {
      return { ...all, 'content-type': type, ...more }
    }),
    body: body as fc.Arbitrary<Body | undefined>,
    advanceMs: mostly(pick(0, 700), pick(299_999, 300_000, 3_600_000), 15),
  })
})

export type RandomRequest = typeof randomRequest extends fc.Arbitrary<infer Value> ? Value : never
