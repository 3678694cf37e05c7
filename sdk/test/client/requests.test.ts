import { createClient } from '@fish-crab/sdk'
import { GAMEMODES, RARITIES } from '@fish-crab/sdk/constants'
import { createFernet } from '@fish-crab/sdk/fernet'
import { expect, test } from 'vitest'
import { FERNET_KEY, json, player, type StubRequest, saved, scriptedFetch } from './stubs.ts'

async function payloadOf(request: StubRequest | undefined): Promise<unknown> {
  const { message } = await createFernet(FERNET_KEY).decrypt(String(request?.init.body))
  return JSON.parse(new TextDecoder().decode(message))
}

test('fish.add() posts a token whose decrypted payload contains the user and the gamemode', async () => {
  const { options, requests } = player(saved())
  const result = await createClient(options).fish.add({ name: 'Salmon', rarity: 3 })
  expect(result).toEqual({ message: 'Fish saved for user Alex', id: 'record-1', replayed: false, requestId: 'req-1' })
  const [request] = requests
  expect(request?.init.method).toBe('POST')
  expect(request?.url.href).toBe('http://127.0.0.1:8787/post/fish?name=Alex')
  expect(request?.headers.get('content-type')).toBe('application/octet-stream')
  expect(request?.headers.get('x-gamemode')).toBe('earth')
  expect(request?.headers.has('x-api-key')).toBe(false)
  expect(request?.init.body).toMatch(/^gAAAAA[\w-]+=*$/)
  expect(await payloadOf(request)).toEqual({
    user: 'Alex',
    gamemode: 'earth',
    fish: [{ name: 'Salmon', rarity: 3 }],
  })
})

test.each(['https://fish.example/api ', ' https://fish.example/api/', 'HTTPS://FISH.example:443/api\n'])(
  'the address %j is normalized as in a browser',
  async (baseUrl) => {
    const { fetch, requests } = scriptedFetch(json({ user: 'demo', fish: [] }))
    const client = createClient({ baseUrl, fetch })
    await client.demo.fish()
    expect([client.baseUrl, requests[0]?.url.href]).toEqual([
      'https://fish.example/api',
      'https://fish.example/api/demo/fish',
    ])
  },
)

test('rarities can be numbers or labels in any letter case, and times can be dates or text with a time zone', async () => {
  const { options, requests } = player(saved())
  await createClient(options).fish.add([
    { name: 'a', rarity: 'gold' },
    { name: 'b', rarity: 'unknown/other', caughtAt: new Date(0) },
    { name: 'c', rarity: 7, caughtAt: '2026-01-02T03:04:05+02:00' },
  ])
  expect(await payloadOf(requests[0])).toMatchObject({
    fish: [
      { name: 'a', rarity: 3 },
      { name: 'b', rarity: 5, caughtAt: '1970-01-01T00:00:00.000Z' },
      { name: 'c', rarity: 7, caughtAt: '2026-01-02T01:04:05.000Z' },
    ],
  })
})

test('crabs.add() needs no arguments, and a call can override the user and gamemode of the client', async () => {
  const { options, requests } = player(saved(), saved())
  const client = createClient(options)
  await client.crabs.add()
  expect(await payloadOf(requests[0])).toEqual({ user: 'Alex', gamemode: 'earth', crab: [{}] })
  await client.crabs.add({ name: 'Bob' }, { user: 'Steve', gamemode: 'survival' })
  expect(await payloadOf(requests[1])).toEqual({ user: 'Steve', gamemode: 'survival', crab: [{ name: 'Bob' }] })
  expect(requests[1]?.url.href).toBe('http://127.0.0.1:8787/post/crab?name=Steve')
  expect(requests[1]?.headers.get('x-gamemode')).toBe('survival')
})

test('the timestamp of a token comes from the given clock', async () => {
  const { options, requests, clock } = player(saved())
  await createClient(options).fish.add({ name: 'Salmon', rarity: 3 })
  const { timestamp } = await createFernet(FERNET_KEY).decrypt(String(requests[0]?.init.body))
  expect(timestamp).toBe(BigInt(clock.now() / 1000))
})

test('fish.list() sends its options as a query, and its result has the rate limit and the request ID', async () => {
  const headers = { 'x-ratelimit-limit': '25', 'x-ratelimit-remaining': '24', 'x-ratelimit-reset': '1767225900' }
  const body = { user: 'Alex', fish: [{ name: 'Salmon', rarity: 'Gold', id: '1' }], nextCursor: 'c2', future: true }
  const { fetch, requests } = scriptedFetch(json(body, { headers }))
  const client = createClient({ baseUrl: 'https://fish.example/api/', apiKey: 'key-1', fetch })
  const response = await client.fish.list({ user: 'Alex', gamemode: 'earth', detail: 'full', limit: 5, cursor: 'c&1' })
  expect(response).toEqual({
    user: 'Alex',
    fish: [{ name: 'Salmon', rarity: 'Gold', id: '1' }],
    nextCursor: 'c2',
    rateLimit: { limit: 25, remaining: 24, resetAt: new Date('2026-01-01T00:05:00Z') },
    requestId: 'req-1',
  })
  const [request] = requests
  expect(request?.url.href).toMatch(/^https:\/\/fish\.example\/api\/get\/fish\?/)
  expect(Object.fromEntries(request?.url.searchParams ?? [])).toEqual({
    name: 'Alex',
    gamemode: 'earth',
    detail: 'full',
    limit: '5',
    cursor: 'c&1',
  })
  expect(request?.headers.get('x-api-key')).toBe('key-1')
})

test('summary() uses the user and gamemode of the client by default, and validates the response', async () => {
  const crab = {
    name: 'crab',
    count: 2,
    firstCaughtAt: '2026-01-01T00:00:00.000Z',
    lastCaughtAt: '2026-01-02T00:00:00Z',
  }
  const summary = { user: 'Alex', gamemode: 'earth', total: 2, unique: 1, species: [crab] }
  const { fetch, requests } = scriptedFetch(json(summary), json(summary))
  const client = createClient({ fetch, user: 'Alex', gamemode: 'earth' })
  expect(await client.crabs.summary()).toEqual({ ...summary, requestId: 'req-1' })
  const search = Object.fromEntries(requests[0]?.url.searchParams ?? [])
  expect([requests[0]?.url.pathname, search]).toEqual([
    '/get/crab',
    { name: 'Alex', gamemode: 'earth', summary: 'species' },
  ])
  const rejected = client.fish.summary({ user: 'Steve', gamemode: 'survival' })
  await expect(rejected).rejects.toMatchObject({ name: 'InvalidResponseError', issues: [{ path: 'byRarity' }, {}] })
  expect(requests[1]?.url.search).toBe('?name=Steve&gamemode=survival&summary=species')
  await expect(client.fish.summary({ gamemode: 'Moon' })).rejects.toMatchObject({ name: 'ValidationError' })
})

test('leaderboard() sends its options as a query, and rejects invalid options', async () => {
  const leaderboard = [{ name: 'Alex', count: 2 }]
  const { fetch, requests } = scriptedFetch(json({ leaderboard }), json({ leaderboard }))
  const client = createClient({ fetch })
  expect((await client.leaderboard({ kind: 'fish' })).leaderboard).toEqual(leaderboard)
  await client.leaderboard({ kind: 'crab', gamemode: 'earth', limit: 3 })
  const asked = requests.map(({ url }) => url.pathname + url.search)
  expect(asked).toEqual(['/get/leaderboard?kind=fish', '/get/leaderboard?kind=crab&gamemode=earth&limit=3'])
  const wrong = client.leaderboard({ kind: 'fish', gamemode: 'Moon' as never, limit: 101 })
  await expect(wrong).rejects.toMatchObject({ issues: [{ path: 'gamemode' }, { path: 'limit' }] })
})

test('leaderboard() names what it counts, the month and a player, and rejects a leaderboard that does not exist', async () => {
  const { fetch, requests } = scriptedFetch(json({ leaderboard: [], you: { rank: 12, count: 3 } }))
  const client = createClient({ fetch })
  const { you } = await client.leaderboard({ kind: 'fish', by: '7', period: '2026-11', user: 'Alex' })
  expect([you, requests[0]?.url.search]).toEqual([{ rank: 12, count: 3 }, '?kind=fish&by=7&period=2026-11&name=Alex'])
  for (const [options, path] of [
    [{ by: 'Gold' as never }, 'by'],
    [{ period: '2026-13' }, 'period'],
    [{ by: 'species', period: '2026-11' }, 'period'],
    [{ kind: 'crab', by: '7' }, 'by'],
  ] as const) {
    await expect(client.leaderboard({ kind: 'fish', ...options })).rejects.toMatchObject({ issues: [{ path }] })
  }
})

test('species() sends its gamemode as a query, and rejects invalid options', async () => {
  const known = { players: 3, species: [{ kind: 'fish', name: 'Koi', rarities: ['Gold'], players: 3, catches: 4 }] }
  const { fetch, requests } = scriptedFetch(json(known), json(known))
  const client = createClient({ fetch })
  expect(await client.species()).toMatchObject(known)
  await client.species({ gamemode: 'earth' })
  expect(requests.map(({ url }) => url.pathname + url.search)).toEqual(['/get/species', '/get/species?gamemode=earth'])
  await expect(client.species({ gamemode: 'Moon' as never })).rejects.toMatchObject({ issues: [{ path: 'gamemode' }] })
})

test('profile() reads the profile of the given user, or by default of the user of the client', async () => {
  const figures = { total: 1, unique: 1 }
  const profile = {
    user: 'Alex',
    ...figures,
    byRarity: Object.fromEntries(RARITIES.map(({ label }) => [label, 0])),
    gamemodes: [{ gamemode: 'earth', fish: figures, crab: figures }],
    rarest: [],
    latest: [],
    days: [{ day: '2026-01-31', count: 1 }],
    streak: { current: 1, longest: 1 },
  }
  const { fetch, requests } = scriptedFetch(json(profile), json(profile), json({ ...profile, streak: {} }))
  const client = createClient({ fetch, user: 'Alex' })
  expect(await client.profile()).toMatchObject(profile)
  await client.profile({ user: 'Steve', species: true })
  await expect(client.profile()).rejects.toMatchObject({ name: 'InvalidResponseError' })
  const asked = requests.slice(0, 2).map(({ url }) => url.pathname + url.search)
  expect(asked).toEqual(['/get/profile?name=Alex', '/get/profile?name=Steve&species=true'])
  await expect(createClient({ fetch }).profile()).rejects.toMatchObject({ issues: [{ path: 'user' }] })
})

test('crabs, demo collections and the status are each read from a separate path', async () => {
  const crabs = () => json({ user: 'demo', crab: [{ name: 'crab' }] })
  const status = { status: 'ok', timestamp: '2026-01-01T00:00:00.000Z', version: '1.0.0' }
  const fish = { user: 'demo', fish: [] }
  const { fetch, requests } = scriptedFetch(crabs(), json(fish), crabs(), json(status))
  const client = createClient({ fetch, user: 'Alex', gamemode: 'oneblock' })
  expect((await client.crabs.list()).crab).toEqual([{ name: 'crab' }])
  expect((await client.demo.fish()).user).toBe('demo')
  expect((await client.demo.crabs()).crab).toHaveLength(1)
  expect(await client.status()).toEqual({ ...status, gamemodes: GAMEMODES, requestId: 'req-1' })
  expect(requests.map(({ url }) => url.pathname + url.search)).toEqual([
    '/get/crab?name=Alex&gamemode=oneblock',
    '/demo/fish',
    '/demo/crab',
    '/status',
  ])
})

test('keys.get() sends the credentials as Basic authentication in UTF-8, and never in the URL', async () => {
  const { fetch, requests } = scriptedFetch(json({ fernetKey: 'a' }), json({ fernetKey: 'b' }))
  const client = createClient({ fetch })
  expect((await client.keys.get({ username: 'Alex', password: 'pä:ß🐟' })).fernetKey).toBe('a')
  await client.keys.get({ name: 'Alex', username: 'admin', password: 'x' })
  expect(requests[0]?.headers.get('authorization')).toBe(`Basic ${Buffer.from('Alex:pä:ß🐟').toString('base64')}`)
  expect(requests.map(({ url }) => url.pathname + url.search)).toEqual(['/get/user/key', '/get/user/key?name=Alex'])
})

test('a record that was stored before is marked as replayed', async () => {
  const body = { message: 'Fish saved for user Alex', id: 'record-1' }
  const { options } = player(json(body, { headers: { 'idempotent-replayed': 'true' } }))
  expect(await createClient(options).fish.add({ name: 'Salmon', rarity: 3 })).toMatchObject({ replayed: true })
})

test('two clients share neither settings nor state', async () => {
  const one = scriptedFetch(json({ fernetKey: 'a' }))
  const two = scriptedFetch(json({ fernetKey: 'b' }))
  const first = createClient({ fetch: one.fetch, apiKey: 'first', baseUrl: 'http://one.example' })
  const second = createClient({ fetch: two.fetch })
  await Promise.all([first, second].map((client) => client.keys.get({ username: 'u', password: 'p' })))
  expect(one.requests.map(({ url, headers }) => [url.host, headers.get('x-api-key')])).toEqual([
    ['one.example', 'first'],
  ])
  expect(two.requests.map(({ url, headers }) => [url.host, headers.get('x-api-key')])).toEqual([
    ['127.0.0.1:8787', null],
  ])
})
