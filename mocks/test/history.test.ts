import { inspect } from 'node:util'
import { createMock } from '@fish-crab/mocks'
import { createClient } from '@fish-crab/sdk'
import { createFernet } from '@fish-crab/sdk/fernet'
import { describe, expect, it } from 'vitest'

const START = Date.UTC(2026, 0, 1)
const MASTER = 'master-key-of-the-test'
const open = () =>
  createMock({
    startAt: START,
    seed: {
      users: [{ name: 'Alex', password: 'alex-password' }, { name: 'Steve' }],
      admins: [{ username: 'root', password: 'root-password' }],
    },
    limits: { requests: 3 },
    keys: { master: MASTER },
  })
type OpenMock = Awaited<ReturnType<typeof open>>

const post = (mock: OpenMock, token: string, headers: Record<string, string> = {}, name = 'Alex') =>
  mock.fetch(`/post/fish?name=${name}`, {
    method: 'POST',
    body: token,
    headers: { 'content-type': 'application/octet-stream', ...headers },
  })

describe('the history', () => {
  it('contains the decrypted payload of a write, and the decision of the rate limit', async () => {
    const mock = await open()
    const client = createClient({ ...mock.client('Alex'), gamemode: 'earth' })
    await client.fish.add([
      { name: 'Salmon', rarity: 'gold' },
      { name: 'Koi', rarity: 7 },
    ])
    await client.crabs.add({ name: 'Hermit' })
    expect(mock.requests[0]).toMatchObject({
      transport: 'direct',
      method: 'POST',
      path: '/post/fish',
      route: 'postFish',
      user: 'Alex',
      client: '127.0.0.1',
      at: new Date(START),
      status: 201,
      payload: {
        kind: 'fish',
        entries: [
          { name: 'Salmon', rarity: 3 },
          { name: 'Koi', rarity: 7 },
        ],
      },
      rateLimit: { decision: 'counted', remaining: 2, resetAt: new Date(START + 300_000) },
    })
    expect(mock.requests[1]?.payload).toMatchObject({ kind: 'crab', entries: [{ name: 'Hermit' }] })
  })

  it('lists each fish with the time that the client sent, and omits the catches that the mock refused', async () => {
    const mock = await open()
    const client = createClient({ ...mock.client('Alex'), gamemode: 'earth', maxRetries: 0 })
    const caughtAt = new Date(START - 1000).toISOString()
    const { user, fernetKey } = mock.client('Alex')
    const wrong = createClient({ ...mock.client('Steve'), fernetKey, gamemode: 'earth' })
    await expect(wrong.fish.add({ name: 'Cod', rarity: 'bronze' })).rejects.toThrow()
    mock.fail({ status: 503 }, { on: 'postFish' })
    await expect(client.fish.add({ name: 'Koi', rarity: 'bronze' })).rejects.toThrow()
    await client.fish.add([
      { name: 'Salmon', rarity: 'gold', caughtAt },
      { name: 'Koi', rarity: 1 },
    ])
    expect(mock.sent.fish()).toEqual([
      { user, gamemode: 'earth', name: 'Salmon', rarity: 3, caughtAt },
      { user, gamemode: 'earth', name: 'Koi', rarity: 1 },
    ])
  })

  it('lists each stored catch once and in order', async () => {
    const mock = await open()
    const fernet = createFernet(mock.user('Alex').fernetKey)
    const token = await fernet.encrypt('{"fish":"Salmon","rarity":3}', { now: START })
    const earth = { 'x-gamemode': 'earth' }
    const statuses = [(await post(mock, token, earth)).status, (await post(mock, token, earth)).status]
    await createClient({ ...mock.client('Steve'), gamemode: 'survival' }).crabs.add({})
    expect(statuses).toEqual([201, 200])
    expect(mock.sent.fish()).toEqual([{ user: 'Alex', gamemode: 'earth', name: 'Salmon', rarity: 3 }])
    expect(mock.sent.crabs()).toEqual([{ user: 'Steve', gamemode: 'survival', name: 'crab' }])
  })

  it('includes the catches of users that requests created', async () => {
    const mock = await open()
    const json = { 'content-type': 'application/json' }
    const login = await mock.fetch('/admin/login', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ username: 'root', password: 'root-password' }),
    })
    const { token } = (await login.json()) as { token: string }
    const created = await mock.fetch('/admin/users', {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${token}` },
      body: JSON.stringify({ name: 'Late' }),
    })
    const { fernetKey } = (await created.json()) as { fernetKey: string }
    const text = await createFernet(fernetKey).encrypt('{"fish":"Koi","rarity":1}')
    expect((await post(mock, text, { 'x-gamemode': 'earth' }, 'late')).status).toBe(201)
    expect(mock.sent.fish()).toEqual([{ user: 'late', gamemode: 'earth', name: 'Koi', rarity: 1 }])
    expect(mock.requests.at(-1)?.payload).toEqual({ kind: 'fish', entries: [{ name: 'Koi', rarity: 1 }] })
    expect(JSON.stringify(mock.requests)).not.toContain(token)
  })

  it('contains the reason if a payload cannot be read', async () => {
    const mock = await open()
    const fernet = createFernet(mock.user('Alex').fernetKey)
    await post(mock, 'no token')
    await post(mock, await fernet.encrypt('{"fish":7}'))
    await post(mock, await fernet.encrypt('{"fish":"Koi","rarity":1}'), {}, 'Nobody')
    expect(mock.requests.map(({ payload }) => payload)).toEqual([
      { kind: 'undecipherable', reason: 'not a token of this user' },
      { kind: 'invalid', content: { fish: 7 } },
      { kind: 'undecipherable', reason: 'unknown user' },
    ])
  })

  it('contains the payload of a write that the rate limit refused', async () => {
    const mock = await open()
    const fernet = createFernet(mock.user('Alex').fernetKey)
    for (let count = 0; count < 3; count += 1) await mock.fetch('/status')
    await post(mock, await fernet.encrypt('{"fish":"Koi","rarity":1}'))
    expect(mock.requests[3]).toMatchObject({
      status: 429,
      rateLimit: { decision: 'refused', remaining: 0 },
      payload: { kind: 'fish', entries: [{ name: 'Koi', rarity: 1 }] },
    })
  })

  it('contains requests that bypass the rate limit, and requests that are exempt from the rate limit', async () => {
    const mock = await open()
    await mock.fetch('/status', { headers: { 'x-api-key': MASTER } })
    await mock.fetch('/livez')
    await mock.fetch('/v1/./x/..//get/%66ish/', { method: 'HEAD' })
    expect(mock.requests.map(({ route, rateLimit }) => [route, rateLimit?.decision])).toEqual([
      ['status', 'bypassed'],
      ['livez', 'exempt'],
      ['getFish', 'counted'],
    ])
  })

  it('identifies the user by name, path or API key', async () => {
    const mock = await open()
    const { apiKey } = mock.user('Steve')
    await mock.fetch('/get/fish?name=alex&gamemode=earth')
    await mock.fetch('/admin/users/Alex')
    await mock.fetch('/post/crab', { method: 'POST', headers: { 'x-api-key': apiKey } })
    expect(mock.requests.map(({ user }) => user)).toEqual(['alex', 'Alex', 'Steve'])
  })

  it('contains no secrets', async () => {
    const mock = await open()
    const { apiKey, fernetKey, password } = mock.user('Alex')
    const token = await createFernet(fernetKey).encrypt('{"fish":"Salmon","rarity":3}')
    const basic = `Basic ${btoa(`Alex:${password}`)}`
    await mock.fetch('/get/user/key', { headers: { authorization: basic } })
    await post(mock, token, { 'x-api-key': apiKey, 'x-gamemode': 'earth', cookie: `key=${fernetKey}` })
    await mock.fetch(`/${encodeURIComponent(fernetKey)}?apiKey=${apiKey}&password=${password}`)
    await mock.fetch('/admin/login', {
      method: 'POST',
      body: JSON.stringify({ username: 'root', password: 'root-password' }),
    })
    await mock.fetch('/status', { headers: { 'x-api-key': MASTER, authorization: 'Bearer abc.def' } })
    const printed = [
      inspect(mock.requests, { depth: 9, showHidden: true }),
      JSON.stringify(mock.requests),
      inspect(mock, { depth: 9 }),
    ]
    const secrets = [
      apiKey,
      fernetKey,
      encodeURIComponent(fernetKey),
      password,
      basic,
      token,
      MASTER,
      'root-password',
      'abc.def',
    ]
    for (const secret of secrets) for (const text of printed) expect(text.includes(secret)).toBe(false)
    expect(printed[1]).toContain('[redacted]')
  })
})
