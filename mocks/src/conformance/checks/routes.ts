import {
  ACCOUNT_LIMITS,
  ERROR_CODES,
  type ErrorCode,
  HEADERS,
  LIMITS,
  MEDIA_TYPES,
  OPERATIONS,
  PAGE_ROUTES,
  ROUTES,
  type RouteName,
  routePath,
  VERSION_PREFIX,
} from '@fish-crab/sdk/contract'
import { basic } from '../context/accounts.ts'
import { ENTRY, encrypt, expectNothingStored, GAMEMODE, SHORT_PAYLOADS, writeAndExpectId } from '../context/catches.ts'
import { OTHER_ORIGIN, type TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import { type Check, check, checksOf } from './check.ts'

/** Routes that an operator may not serve. Only a response shows whether the leaderboard is served. */
const OPTIONAL: readonly string[] = [...Object.keys(PAGE_ROUTES), 'metrics', 'docs']
export const OPTIONAL_LEADERBOARD: RouteName = 'getLeaderboard'
const SERVED = (Object.keys(ROUTES) as RouteName[]).filter((route) => !OPTIONAL.includes(route))

/** A name that no account has, so that an implementation that wrongly accepts a request does no harm. */
const NOBODY = 'conformance-nobody'
const PARAMS = { name: NOBODY, username: NOBODY, id: 'x' }

const labelOf = (route: RouteName) => `${ROUTES[route].method} ${ROUTES[route].path}`
const isAdmin = (route: RouteName) => /^(super)?admin$/.test(OPERATIONS[route].auth)
const hasQuery = (name: string) => (route: RouteName) => name in (OPERATIONS[route].query?.shape ?? {})
const kindOf = (route: RouteName) => (route.endsWith('Fish') ? 'fish' : 'crab')
const isOpen = (route: RouteName) => ROUTES[route].method === 'GET' && OPERATIONS[route].auth === 'none'

type Derived = Omit<Check, 'section'>

/** Creates one check for each selected route. The id of a check consists of `kind` and the name of the route. */
function forEach(
  kind: string,
  which: (route: RouteName) => boolean,
  promise: string,
  run: (t: TestContext, route: RouteName) => unknown,
): readonly Derived[] {
  const idOf = (route: string) => route.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return SERVED.filter(which).map((route) =>
    check(`${kind}-${idOf(route)}`, `${labelOf(route)} ${promise}.`, (t) => run(t, route)),
  )
}

/** Skips the check if the operator does not publish the route. */
function published(route: RouteName, response: expect.ReceivedResponse): expect.ReceivedResponse {
  if (route !== OPTIONAL_LEADERBOARD || response.status !== 404) return response
  throw new expect.CheckSkipped('the service does not publish its leaderboard')
}

/** Returns a valid query with the parameters that the contract documents for the route. */
async function validQuery(t: TestContext, route: RouteName): Promise<URLSearchParams> {
  const { query } = OPERATIONS[route]
  const values = { name: '', gamemode: GAMEMODE, kind: 'fish', type: 'fish', follow: 'false' }
  if (query && 'name' in query.shape) values.name = (await t.user()).name
  return new URLSearchParams(Object.entries(values).filter(([name]) => query && name in query.shape))
}

async function authorization(t: TestContext, route: RouteName): Promise<Record<string, string>> {
  if (isAdmin(route)) return { authorization: `Bearer ${(await t.routesAdmin()).token}` }
  if (OPERATIONS[route].auth !== 'basic') return {}
  const { name, password } = await t.user()
  return { authorization: basic(name, password) }
}

/** Sends a request that changes nothing: either a valid read, or a request that has neither credentials nor a body. */
async function ask(t: TestContext, route: RouteName, { method = ROUTES[route].method as string, prefix = '' } = {}) {
  const isRead = ROUTES[route].method === 'GET'
  const query = isRead ? `?${await validQuery(t, route)}` : ''
  const headers = isRead && isAdmin(route) ? await authorization(t, route) : {}
  const response = await t.request(`${prefix}${routePath(route, PARAMS)}${query}`, { method, headers })
  return prefix === '' ? published(route, response) : response
}

const typeOf = ({ headers }: expect.ReceivedResponse) => headers.get('content-type')

const isFirstOfPath = (route: RouteName) => SERVED.find((one) => ROUTES[one].path === ROUTES[route].path) === route

export const formChecks = checksOf('responses', [
  ...forEach(
    'method',
    isFirstOfPath,
    'is listed in the Allow header of a 405 response with the other methods of its path',
    async (t, route) => {
      const path = routePath(route, PARAMS)
      // A fixed path may also match a path with parameters.
      const matches = (one: RouteName) => new RegExp(`^${ROUTES[one].path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path)
      const methods = [...new Set(SERVED.filter(matches).map((one) => ROUTES[one].method as string))]
      const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods
      for (const prefix of ['', VERSION_PREFIX]) {
        const response = await ask(t, route, { method: 'PUT', prefix })
        expect.error(response, 'method_not_allowed')
        const allow = (response.headers.get('allow') ?? '').split(',').map((name) => name.trim())
        expect.same(allow.filter((name) => name !== 'OPTIONS').sort(), allowed.sort(), 'Allow', response)
      }
    },
  ),
  ...forEach(
    'head',
    (route) => ROUTES[route].method === 'GET',
    'responds to HEAD as to GET, without a body',
    async (t, route) => {
      const get = await ask(t, route)
      const head = await ask(t, route, { method: 'HEAD' })
      expect.status(head, get.status)
      expect.same(typeOf(head), typeOf(get), 'the content-type', head)
      expect.noBody(head)
    },
  ),
  ...forEach(
    'v1',
    () => true,
    `responds the same under ${VERSION_PREFIX}, and both responses have a request id`,
    async (t, route) => {
      const plain = await ask(t, route)
      const versioned = await ask(t, route, { prefix: VERSION_PREFIX })
      for (const response of [plain, versioned]) expect.requestId(response)
      const form = (response: expect.ReceivedResponse) => [expect.describeStatus(response), typeOf(response)]
      expect.same(form(versioned), form(plain), 'the status and the content-type', versioned)
    },
  ),
])

/** A body with the fields of all JSON endpoints, except the name of a new account. Endpoints ignore unknown fields. */
const ANY_BODY = JSON.stringify({ gamemode: 'oneblock', fish: [ENTRY.fish], crab: [ENTRY.crab], type: 'password' })

const isWrongBody = (route: RouteName, body: unknown) => !OPERATIONS[route].body?.schema?.safeParse(body).success

/** Returns a request about the user `NOBODY` with the given authorization. Everything else in the request is valid. */
function without(route: RouteName, authorization?: string) {
  const { body } = OPERATIONS[route]
  const headers = { ...(authorization ? { authorization } : {}), ...(body ? { 'content-type': body.type } : {}) }
  const init = { method: ROUTES[route].method, headers, ...(body ? { body: ANY_BODY } : {}) }
  return [routePath(route, PARAMS), init] as const
}

export const accessChecks = checksOf('admin', [
  ...forEach('session', isAdmin, 'responds 401 without a session', async (t, route) => {
    expect.error(await t.send(...without(route)), 'invalid_session')
  }),
  ...forEach(
    'role',
    // A logout would end the session that other checks use.
    (route) => isAdmin(route) && route !== 'adminLogout',
    'responds 403 to the role admin only if it requires a superadmin',
    async (t, route) => {
      const { auth, errors, body } = OPERATIONS[route]
      const notFound = errors.find((code) => code.endsWith('_not_found'))
      const [path, init] = without(route, `Bearer ${(await t.admin()).token}`)
      const response = await t.send(`${path}?${await validQuery(t, route)}`, init)
      if (auth === 'superadmin') expect.error(response, 'forbidden')
      // `ANY_BODY` lacks the name of a new account.
      else if (body && isWrongBody(route, JSON.parse(ANY_BODY))) expect.error(response, 'invalid_payload')
      else if (notFound) expect.error(response, notFound)
      else expect.success(response, route)
    },
  ),
])

/** An API key bypasses the rate limit but does not authenticate a user. */
export const passwordChecks = checksOf(
  'key',
  forEach(
    'password',
    (route) => OPERATIONS[route].auth === 'basic',
    'responds 401 to an API key without a password, and changes nothing with the password of an administrator',
    async (t, route) => {
      expectChallenge(await t.request(...without(route)))
      if (ROUTES[route].method === 'GET') return
      const { username, password } = await t.superadmin()
      expect.error(await t.request(...without(route, basic(username, password))), 'forbidden')
    },
  ),
)

export const etagChecks = checksOf(
  'reads',
  forEach(
    'etag',
    (route) => OPERATIONS[route].revalidates === true,
    'has an ETag, which a new entry of a collection changes, and responds 304 without a body if If-None-Match has the current ETag',
    async (t, route) => {
      const { params, query, headers } = await validRequest(t, route)
      for (const summary of hasQuery('summary')(route) ? [undefined, 'species'] : [undefined]) {
        if (summary) query.set('summary', summary)
        const read = (match?: string, method = 'GET') =>
          t.request(`${routePath(route, params)}?${query}`, {
            method,
            headers: { ...headers, ...(match === undefined ? {} : { 'if-none-match': match }) },
          })
        const head = await read(undefined, 'HEAD')
        const tag = head.headers.get('etag') ?? 'none'
        expect.that(/^(W\/)?"[^"]*"$/.test(tag), 'an ETag (RFC 9110, section 8.8.3)', tag, head)
        const other = tag.startsWith('W/') ? tag.slice(2) : `W/${tag}`
        for (const match of [tag, `"x", ${other}`]) {
          const response = await read(match)
          expect.status(response, 304)
          expect.noBody(response)
        }
        expect.status(await read('"unknown"'), 200)
        // The list of species changes at most every ten minutes.
        if (!query.has('gamemode') || route === 'getSpecies') continue
        const kind = kindOf(route)
        await writeAndExpectId(t, kind, SHORT_PAYLOADS[kind])
        const changed = await read(tag)
        expect.status(changed, 200)
        expect.that(changed.headers.get('etag') !== tag, 'another ETag after a write', 'the same', changed)
      }
    },
  ),
)

/** @returns the error message */
export function expectChallenge(response: expect.ReceivedResponse): unknown {
  const { error } = expect.error(response, 'invalid_credentials')
  const challenge = response.headers.get('www-authenticate') ?? 'none'
  expect.that(/^Basic\b/i.test(challenge), 'WWW-Authenticate: Basic', challenge, response)
  return error
}

export function expectOrigin(response: expect.ReceivedResponse, origin: string | null): void {
  expect.header(response, 'access-control-allow-origin', origin)
  expect.header(response, 'access-control-allow-credentials', null)
}

/** Sends a request for the route as a page of the origin would, and the preflight of that request. */
async function askFrom(t: TestContext, route: RouteName, origin: string) {
  const { method } = ROUTES[route]
  const path = routePath(route, PARAMS)
  const response = published(route, await t.fromOrigin(path, origin, method))
  const preflight = await t.preflight(path, origin, method)
  expect.status(preflight, 200, 204)
  return { response, preflight, method }
}

export const originChecks = checksOf('cors', [
  ...forEach(
    'cors',
    (route) => ROUTES[route].access !== 'operations',
    'is open to pages of other origins only if it is a public read',
    async (t, route) => {
      const { response, preflight, method } = await askFrom(t, route, OTHER_ORIGIN)
      const isPublicRead = isOpen(route)
      for (const one of [response, preflight]) expectOrigin(one, isPublicRead ? '*' : null)
      if (!isPublicRead) return
      const { rateLimit, rateRemaining, rateReset, requestId } = HEADERS
      expect.listed(response, 'access-control-expose-headers', rateLimit, rateRemaining, rateReset, requestId)
      expect.listed(preflight, 'access-control-allow-methods', method)
      expect.listed(preflight, 'access-control-allow-headers', HEADERS.apiKey)
    },
  ),
  ...forEach(
    'origin',
    (route) => ROUTES[route].access === 'public',
    'is open to pages of a configured origin, but not to an origin that merely begins with it',
    async (t, route) => {
      const origin = t.allowedOrigin()
      const { response, preflight, method } = await askFrom(t, route, origin)
      for (const one of [response, preflight]) expectOrigin(one, origin)
      expect.listed(response, 'vary', 'origin')
      expect.listed(preflight, 'access-control-allow-methods', method)
      expect.listed(preflight, 'access-control-allow-headers', 'content-type', HEADERS.apiKey, HEADERS.gamemode)
      const alike = await askFrom(t, route, `${origin}.evil.example`)
      expectOrigin(alike.response, isOpen(route) ? '*' : null)
    },
  ),
])

/** A valid request, into which a {@link Mistake} then puts one mistake. */
interface Wrong {
  readonly params: Record<string, string>
  query: URLSearchParams
  readonly headers: Record<string, string>
  body: BodyInit | undefined
}

interface Mistake {
  readonly code: ErrorCode
  /** @default the code in kebab case */
  readonly id?: string
  readonly what: string
  /** @default every route with the code among its errors */
  readonly isOf?: (route: RouteName) => boolean
  /** Ways to make the mistake. */
  readonly ways: readonly ((wrong: Wrong, nobody: string, route: RouteName) => unknown)[]
}

const setQuery =
  (name: string, value: string) =>
  ({ query }: Wrong) =>
    query.set(name, value)
const hasToken = (route: RouteName) => OPERATIONS[route].body?.type === MEDIA_TYPES.token
const ofAnyUser = (route: RouteName) => OPERATIONS[route].auth !== 'basic'

const WRONG_QUERIES: Readonly<Record<string, readonly string[]>> = {
  limit: ['0', '-1', '1001', '1.5', 'x', '1e2', '0x10'],
  kind: ['whale'],
  type: ['whale', ''],
  gamemode: ['moon'],
  summary: ['all'],
  cursor: ['\u0000nonsense'],
  entry: ['-1', '500', '1.5', 'x', ''],
}

/** Bodies that JSON endpoints reject, except endpoints whose schema accepts them. */
const wrongBodies = (nobody: string): readonly object[] => [
  {},
  { name: 5, username: 1, password: 12345678, type: 'name', gamemode: 5, fish: [], crab: [] },
  {
    name: nobody,
    username: nobody,
    password: 12345678,
    gamemode: '',
    fish: [{ name: '', rarity: 1 }],
    crab: [ENTRY.fish],
  },
]

const MISTAKES: readonly Mistake[] = [
  {
    code: 'missing_name',
    what: 'no name or an empty name',
    // A write without a name is valid and applies to the owner of the API key.
    isOf: (route) => ofAnyUser(route) && !hasToken(route),
    ways: [({ query }) => query.delete('name'), setQuery('name', '')],
  },
  {
    code: 'user_mismatch',
    what: 'two names',
    isOf: ofAnyUser,
    ways: [({ query }, nobody) => query.append('name', nobody)],
  },
  {
    code: 'user_not_found',
    what: 'an unknown user',
    isOf: ofAnyUser,
    ways: [
      ({ params, query }, nobody) => {
        params.name = nobody
        if (query.has('name')) query.set('name', nobody)
      },
    ],
  },
  {
    code: 'missing_gamemode',
    what: 'no gamemode or an empty gamemode',
    ways: [({ query }) => query.delete('gamemode'), setQuery('gamemode', '')],
  },
  {
    code: 'invalid_gamemode',
    what: 'an unknown gamemode or another spelling of a gamemode',
    ways: ['moon', 'Earth', 'EARTH', 'earth '].map((gamemode) => setQuery('gamemode', gamemode)),
  },
  { code: 'gamemode_mismatch', what: 'two gamemodes', ways: [({ query }) => query.append('gamemode', 'survival')] },
  { code: 'record_not_found', what: 'an unknown record', ways: [() => {}] },
  {
    code: 'record_not_found',
    id: 'entry-of-unknown-record',
    what: 'an entry of an unknown record',
    isOf: hasQuery('entry'),
    ways: [setQuery('entry', '0')],
  },
  { code: 'admin_not_found', what: 'an unknown administrator', ways: [() => {}] },
  ...Object.entries(WRONG_QUERIES).map(
    ([name, values]): Mistake => ({
      code: 'invalid_query',
      id: `invalid-query-${name}`,
      what: `an invalid ${name}`,
      // Some routes report an unknown gamemode by its own code.
      isOf: (route) =>
        hasQuery(name)(route) && !(name === 'gamemode' && OPERATIONS[route].errors.includes('invalid_gamemode')),
      ways: values.map((value) => setQuery(name, value)),
    }),
  ),
  {
    code: 'invalid_query',
    id: 'invalid-query-summary-page',
    what: 'both a summary and an option for lists',
    isOf: hasQuery('summary'),
    ways: ['limit=1', 'detail=full', 'cursor=x'].map((option) => (wrong) => {
      wrong.query = new URLSearchParams(`${wrong.query}&summary=species&${option}`)
    }),
  },
  {
    code: 'invalid_payload',
    what: 'an invalid body',
    isOf: (route) => !hasToken(route),
    ways: ['{"', '[]', ...wrongBodies('').keys()].map((way) => (wrong, nobody, route) => {
      const body = typeof way === 'string' ? '[]' : wrongBodies(nobody)[way]
      wrong.body = typeof way === 'string' ? way : isWrongBody(route, body) ? JSON.stringify(body) : '{"'
    }),
  },
  {
    code: 'payload_too_large',
    what: 'a body of more than 256 KiB, or 1 MiB for many users',
    ways: [
      (wrong, _, route) => {
        const largest = route === 'createUsers' ? ACCOUNT_LIMITS.usersBodyBytes : LIMITS.bodyBytes
        wrong.body = ' '.repeat(largest + 1)
      },
    ],
  },
  {
    code: 'unsupported_media_type',
    what: 'a body of an unsupported media type or coding',
    ways: [
      ...[MEDIA_TYPES.token, MEDIA_TYPES.json, 'text/plain'].map((type) => ({ headers }: Wrong) => {
        headers['content-type'] = type === headers['content-type'] ? 'text/plain' : type
      }),
      ...['gzip', 'br', 'x-unknown'].map((coding) => ({ headers }: Wrong) => {
        headers['content-encoding'] = coding
      }),
    ],
  },
]

/** Error codes for which the contract promises only the status. */
const STATUS_ALONE: readonly ErrorCode[] = ['invalid_query', 'admin_not_found']

function validBody(t: TestContext, route: RouteName): string {
  return RENAMES.includes(route) ? JSON.stringify({ name: t.newName() }) : ANY_BODY
}

const RENAMES: readonly RouteName[] = ['renameUser', 'renameOwn']

async function validRequest(t: TestContext, route: RouteName): Promise<Wrong> {
  const { body } = OPERATIONS[route]
  const hasUser = ROUTES[route].path.includes(':name')
  return {
    params: { ...PARAMS, ...(hasUser ? { name: (await t.user()).name } : {}) },
    query: await validQuery(t, route),
    headers: { ...(await authorization(t, route)), ...(body ? { 'content-type': body.type } : {}) },
    body: hasToken(route) ? await encrypt(t, SHORT_PAYLOADS[kindOf(route)]) : body && validBody(t, route),
  }
}

async function expectMistake(t: TestContext, route: RouteName, { code, ways }: Mistake): Promise<void> {
  for (const make of ways) {
    const wrong = await validRequest(t, route)
    const nobody = t.newName()
    // A service that wrongly accepts the request creates an account, which must be removed.
    if (route === 'createUser' || route === 'createAdmin') t.removeLater(route, nobody)
    make(wrong, nobody, route)
    const { params, query, headers, body } = wrong
    const path = `${routePath(route, params)}?${query}`
    const init = { method: ROUTES[route].method, headers, ...(body === undefined ? {} : { body }) }
    const response = published(route, await t.request(path, init))
    expect.status(response, ERROR_CODES[code].status)
    if (STATUS_ALONE.includes(code)) expect.errorBody(response)
    else if (code === 'invalid_payload') expect.details(response, code)
    else expect.error(response, code)
  }
}

const errorsOf = (mistake: Mistake): readonly Derived[] => {
  const { code, id = code.replaceAll('_', '-'), what, isOf = () => true } = mistake
  return forEach(
    `error-${id}`,
    (route) => OPERATIONS[route].errors.includes(code) && isOf(route),
    `with ${what} responds ${ERROR_CODES[code].status} ${code}`,
    (t, route) =>
      hasToken(route)
        ? expectNothingStored(t, () => expectMistake(t, route, mistake))
        : expectMistake(t, route, mistake),
  )
}

export const errorChecks = checksOf('responses', MISTAKES.flatMap(errorsOf))
