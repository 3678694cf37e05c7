import {
  changedRequest,
  isRead,
  isSuccess,
  isWrite,
  type Json,
  type Mutation,
  madeUp,
  madeUpError,
  onJson,
  onRequest,
  onResponse,
} from './mutation.ts'

type Entry = Record<string, unknown>
const kindOf = (body: Json) => ('fish' in body ? 'fish' : 'crab')

/** Creates a mutation that changes the entries in the response to every read. */
function onEntries(name: string, change: (entries: Entry[], request: Request) => Entry[]): Mutation {
  return onJson(
    name,
    (path, _, response) => isRead(path) && isSuccess(response),
    (body, request) => {
      const kind = kindOf(body)
      return 'species' in body ? body : { ...body, [kind]: change(body[kind] as Entry[], request) }
    },
  )
}

/** Creates a mutation that changes every summary, including the species. */
function onSummary(name: string, change: (summary: Json & { readonly species: Entry[] }) => Json): Mutation {
  return onJson(
    name,
    (path, _, response) => isRead(path) && isSuccess(response),
    (body) => ('species' in body ? change(body as Json & { readonly species: Entry[] }) : body),
  )
}

const withQuery = (request: Request, change: (query: URLSearchParams) => void): Request => {
  const url = new URL(request.url)
  change(url.searchParams)
  return changedRequest(request, { url: url.href })
}

/** Creates a mutation that rejects some tokens as invalid. */
function onToken(name: string, which: (text: string, bytes: Uint8Array) => boolean): Mutation {
  return onRequest(
    name,
    ({ method }, path) => method === 'POST' && isWrite(path),
    async (request, send) => {
      const bytes = new Uint8Array(await request.clone().arrayBuffer())
      const isText = bytes[0] !== 0x80
      const text = isText ? new TextDecoder('latin1').decode(bytes) : ''
      return which(text, bytes) ? madeUpError(400, 'invalid_token') : send(request)
    },
  )
}

const saved = () => madeUp(201, { message: 'Fish saved for user Alex', id: crypto.randomUUID() })

/** Creates a mutation that reports success for writes that the service refuses with an error code. */
function accepts(code: string): Mutation {
  return onResponse(
    `accepts a write that must fail with ${code}`,
    (_, response, path) => isWrite(path) && response.status === 400,
    async (response) => ((await response.clone().json()).code === code ? saved() : response),
  )
}

const dropped: Mutation = {
  name: 'acknowledges every third write without storing it',
  around: (send) => {
    let count = 0
    return onRequest(
      '',
      ({ method }, path) => method === 'POST' && isWrite(path),
      async (request) => {
        count += 1
        return count % 3 === 0 ? saved() : send(request)
      },
    ).around(send)
  },
}

const gamemodeFrom = (where: 'header' | 'query'): Mutation =>
  onRequest(
    `ignores the gamemode in the ${where}`,
    ({ method }, path) => method === 'POST' && isWrite(path),
    (request, send) =>
      send(
        where === 'header'
          ? changedRequest(request, { headers: { 'x-gamemode': null } })
          : withQuery(request, (query) => query.delete('gamemode')),
      ),
  )

/** Mutations of reads and writes. */
export const catchesMutations: readonly Mutation[] = [
  onRequest(
    'ignores summary',
    (_, path) => isRead(path),
    (request, send) => send(withQuery(request, (query) => query.delete('summary'))),
  ),
  onSummary('returns the least caught species first', (body) => ({ ...body, species: body.species.toReversed() })),
  onSummary('returns the number of species as the number of names', (body) => ({
    ...body,
    unique: body.species.length,
  })),
  onSummary('returns the last time of a species as the first', (body) => ({
    ...body,
    species: body.species.map((one) => ({ ...one, firstCaughtAt: one.lastCaughtAt })),
  })),
  onSummary('omits rarities without a catch', ({ byRarity, ...body }) => ({
    ...body,
    ...(byRarity ? { byRarity: Object.fromEntries(Object.entries(byRarity).filter(([, count]) => count > 0)) } : {}),
  })),
  onJson(
    'omits the last day in a profile',
    (path, _, response) => path === '/get/profile' && isSuccess(response),
    (body) => ('days' in body ? { ...body, days: (body.days as unknown[]).slice(0, -1) } : body),
  ),
  onEntries('returns the newest entry first', (entries) => entries.toReversed()),
  onEntries('omits the last entry', (entries) => entries.slice(0, -1)),
  onEntries('returns the first entry twice', (entries) => [...entries.slice(0, 1), ...entries]),
  onEntries('returns rarities as numbers', (entries) =>
    entries.map((entry) => ({ ...entry, ...('rarity' in entry ? { rarity: 3 } : {}) })),
  ),
  onEntries('returns Silver for Gold', (entries) =>
    entries.map((entry) => (entry.rarity === 'Gold' ? { ...entry, rarity: 'Silver' } : entry)),
  ),
  onEntries('returns a wrong name of a catch', (entries) => entries.map((entry) => ({ ...entry, name: 'Boot' }))),
  onEntries('returns an extra field', (entries) => entries.map((entry) => ({ ...entry, length: 3 }))),
  onEntries('keeps times that are far ahead', (entries) =>
    entries.map((entry) => ('caughtAt' in entry ? { ...entry, caughtAt: '2999-01-01T00:00:00.000Z' } : entry)),
  ),
  onEntries('returns the time of the read as caughtAt', (entries) =>
    entries.map((entry) => ('caughtAt' in entry ? { ...entry, caughtAt: new Date().toISOString() } : entry)),
  ),
  onEntries('returns a different id for each entry', (entries) =>
    entries.map((entry, index) => ('id' in entry ? { ...entry, id: `${entry.id}-${index}` } : entry)),
  ),
  onRequest(
    'ignores detail',
    (_, path) => isRead(path),
    (request, send) => send(withQuery(request, (query) => query.delete('detail'))),
  ),
  onRequest(
    'always returns details',
    (_, path) => isRead(path),
    (request, send) => send(withQuery(request, (query) => query.set('detail', 'full'))),
  ),
  onRequest(
    'ignores limit and cursor',
    (_, path) => isRead(path),
    (request, send) =>
      send(
        withQuery(request, (query) => {
          query.delete('limit')
          query.delete('cursor')
        }),
      ),
  ),
  onRequest(
    'ignores the cursor',
    (_, path) => isRead(path),
    (request, send) => send(withQuery(request, (query) => query.delete('cursor'))),
  ),
  onRequest(
    'returns at most 1000 entries',
    (_, path) => isRead(path),
    (request, send) => send(withQuery(request, (query) => query.has('limit') || query.set('limit', '1000'))),
  ),
  onJson(
    'returns nextCursor on the last page',
    (path, _, response) => isRead(path) && isSuccess(response),
    (body) => ({ nextCursor: 'x', ...body }),
  ),
  onJson(
    'returns the user name in lower case',
    () => true,
    (body) => ({ ...body, ...(typeof body.user === 'string' ? { user: body.user.toLowerCase() } : {}) }),
  ),
  onJson(
    'returns the name of a different user',
    (path, _, response) => isRead(path) && isSuccess(response),
    (body) => ({ ...body, user: 'Alex' }),
  ),
  onRequest(
    'has one collection for all gamemodes',
    (_, path) => isRead(path) || isWrite(path),
    (request, send) =>
      send(
        withQuery(
          request,
          (query) =>
            ['oneblock', 'survival', 'factions'].includes(query.get('gamemode') ?? '') &&
            query.set('gamemode', 'earth'),
        ),
      ),
  ),
  onJson(
    'lists an unsupported gamemode',
    (path) => path === '/status',
    (body) => ({ ...body, gamemodes: ['earth', 'limbo'] }),
  ),
  onRequest(
    'accepts gamemodes in any letter case',
    (_, path) => isRead(path),
    (request, send) =>
      send(
        withQuery(
          request,
          (query) => query.has('gamemode') && query.set('gamemode', query.get('gamemode')?.toLowerCase().trim() ?? ''),
        ),
      ),
  ),
  onRequest(
    'accepts the first of two values in a query',
    ({ url }) => /[?&](name|gamemode)=.*&\1=/.test(url),
    (request, send) =>
      send(
        withQuery(request, (query) => {
          for (const [name, value] of [...query].reverse()) query.set(name, value)
        }),
      ),
  ),
  onRequest(
    'accepts a limit in any number notation',
    ({ url }) => /limit=\d+[ex]/.test(url),
    (request, send) => send(withQuery(request, (query) => query.set('limit', String(Number(query.get('limit')))))),
  ),
  onRequest(
    'compares names case-sensitively',
    ({ url }) => /name=CONFORMANCE/.test(url),
    async () => madeUpError(404, 'user_not_found'),
  ),
  onRequest(
    'does not find names that begin with a punctuation mark',
    ({ url }) => /name=[_*.%]/.test(url),
    async () => madeUpError(404, 'user_not_found'),
  ),
  onRequest(
    'does not find long names',
    ({ url }) => /name=[^&]{32}/.test(url),
    async () => madeUpError(404, 'user_not_found'),
  ),
  onRequest(
    'does not find names that begin with a digit',
    ({ url }) => /name=\d/.test(url),
    async () => madeUpError(404, 'user_not_found'),
  ),
  onRequest(
    'does not find names with an asterisk',
    ({ url }) => /name=[^&]*\*/.test(url),
    async () => madeUpError(404, 'user_not_found'),
  ),
  onJson(
    'always reports one saved fish',
    (path, { method }, response) => isWrite(path) && method === 'POST' && isSuccess(response),
    (body) => ({ ...body, message: 'Fish saved for user Alex' }),
  ),
  onJson(
    'returns no id for a write',
    (path, _, response) => isWrite(path) && isSuccess(response),
    ({ id: _, ...body }) => body,
  ),
  onResponse(
    'returns 200 for a write',
    (_, { status }, path) => isWrite(path) && status === 201,
    (response) => new Response(response.body, { status: 200, headers: response.headers }),
  ),
  onResponse(
    'returns 201 for a replay',
    (_, { status }, path) => isWrite(path) && status === 200,
    (response) => new Response(response.body, { status: 201, headers: response.headers }),
  ),
  onJson(
    'returns a new id for a replay',
    (path, _, { status }) => isWrite(path) && status === 200,
    (body) => ({ ...body, id: crypto.randomUUID() }),
  ),
  dropped,
  gamemodeFrom('header'),
  gamemodeFrom('query'),
  onRequest(
    'compares the names in writes case-sensitively',
    ({ url }, path) => isWrite(path) && /name=[^&]*CONF/.test(url),
    async () => madeUpError(404, 'user_not_found'),
  ),
  onRequest(
    'does not identify the owner of an API key',
    ({ url }, path) => isWrite(path) && !url.includes('name='),
    async () => madeUpError(400, 'missing_name'),
  ),
  onRequest(
    'prefers the owner of the API key to the given name',
    (_, path) => isWrite(path),
    (request, send) => send(withQuery(request, (query) => query.delete('name'))),
  ),
  onRequest(
    'rejects writes without a content-type',
    ({ headers }, path) => isWrite(path) && !headers.has('content-type'),
    async () => madeUpError(415, 'unsupported_media_type'),
  ),
  onToken('rejects tokens with padding', (text) => text.trimEnd().endsWith('=')),
  onToken('rejects tokens without padding', (text) => text.trimEnd().length % 4 !== 0),
  onToken('rejects tokens with a trailing newline', (text) => text.endsWith('\n')),
  onToken('rejects raw tokens', (_, bytes) => bytes[0] === 0x80),
  ...[
    'invalid_token',
    'invalid_payload',
    'user_mismatch',
    'gamemode_mismatch',
    'missing_gamemode',
    'invalid_gamemode',
  ].map(accepts),
  onJson(
    'distinguishes a truncated token from a forged one',
    (path, { headers }) => isWrite(path) && Number(headers.get('content-length') ?? 1) > 0,
    (body, { headers }) => ({
      ...body,
      ...(body.code === 'invalid_token' && headers.get('content-length') === null
        ? { error: `It is wrong: ${crypto.randomUUID()}.` }
        : {}),
    }),
  ),
]
