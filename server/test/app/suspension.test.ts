import type { AuditPage, Suspension, UserDetails } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { describe, expect, it } from 'vitest'
import { asRoot } from './administration.ts'
import { expectError } from './errors.ts'
import { createMemoryService } from './memory-service.ts'
import { basic, type TestService, UNLIMITED } from './test-service.ts'

const OPTIONS = { ...UNLIMITED, publicLeaderboard: true } as const

async function openService() {
  const service = await createMemoryService(OPTIONS)
  const fernet = createFernet(service.alex.fernetKey)
  const token = (name = 'Salmon') => fernet.encrypt(JSON.stringify({ fish: name, rarity: 3 }), { now: service.now() })
  return { service, token, admin: await asRoot(service) }
}

function post(service: TestService, token: string, query = '?name=Alex', apiKey?: string): Promise<Response> {
  const headers = { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth' }
  return service.request(`/post/fish${query}`, {
    method: 'POST',
    headers: { ...headers, ...(apiKey ? { 'x-api-key': apiKey } : {}) },
    body: token,
  })
}

const read = (service: TestService, apiKey?: string) =>
  service.request('/get/fish?name=Alex&gamemode=earth', apiKey ? { headers: { 'x-api-key': apiKey } } : {})

const authorized = (method: string, body?: unknown): RequestInit => ({
  method,
  headers: {
    authorization: basic('Alex', 'alex-password'),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
})

describe('a suspended player', () => {
  it('cannot add catches or log in, keeps all data, and continues after the suspension', async () => {
    const { service, token, admin } = await openService()
    const saved = (await (await post(service, await token())).json()) as { id: string }
    const suspended = await admin('POST', '/admin/users/Alex/suspend', {})
    expect(await suspended.json()).toEqual({ name: 'Alex', suspended: true, hidden: false } satisfies Suspension)

    await expectError(await post(service, await token('Koi')), 'user_suspended')
    await expectError(await service.request('/get/user/key', authorized('GET')), 'user_suspended')
    const own = `/user/fish/${saved.id}?gamemode=earth`
    await expectError(await service.request(own, authorized('DELETE')), 'user_suspended')
    await expectError(
      await service.request(`/user/fish/${saved.id}/move`, authorized('POST', { gamemode: 'survival' })),
      'user_suspended',
    )
    await expectError(
      await service.request('/user/password', authorized('POST', { password: 'another password' })),
      'user_suspended',
    )
    await expectError(
      await service.request('/user', authorized('DELETE', { password: 'alex-password' })),
      'user_suspended',
    )
    expect((await read(service)).status).toBe(200)

    expect((await admin('POST', '/admin/users/Alex/unsuspend')).status).toBe(200)
    expect((await post(service, await token('Koi'))).status).toBe(201)
    expect(await (await read(service)).json()).toMatchObject({ fish: [{ name: 'Salmon' }, { name: 'Koi' }] })
    const { entries } = (await (await admin('GET', '/admin/audit')).json()) as AuditPage
    expect(entries.map(({ action }) => action)).toEqual(expect.arrayContaining(['user.suspend', 'user.unsuspend']))
  })

  it('is refused only with a valid token or password, so that strangers learn nothing', async () => {
    const { service, admin } = await openService()
    const strange = await createFernet(`${'A'.repeat(43)}=`).encrypt('{"fish":"Salmon","rarity":3}')
    await admin('POST', '/admin/users/Alex/suspend', { hide: true })
    await expectError(await post(service, strange), 'invalid_token')
    const wrong = { headers: { authorization: basic('Alex', 'wrong-password') } }
    await expectError(await service.request('/get/user/key', wrong), 'invalid_credentials')
  })

  it('gets the response of a replay for a token that was stored before', async () => {
    const { service, token, admin } = await openService()
    const stored = await token()
    await post(service, stored)
    await admin('POST', '/admin/users/Alex/suspend', { hide: true })
    const replayed = await post(service, stored)
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    await expectError(await post(service, await token('Koi')), 'user_suspended')
  })

  it('has a key that lifts no rate limit, and is still refused as suspended when only the key names the player', async () => {
    const service = await createMemoryService({ rateLimit: { requests: 2, windowMs: 300_000 } })
    const admin = await asRoot(service)
    await admin('POST', '/admin/users/Alex/suspend', {})
    const token = await createFernet(service.alex.fernetKey).encrypt('{"fish":"Salmon","rarity":3}')
    await expectError(await post(service, token, '', service.alex.apiKey), 'user_suspended')
    await expectError(await post(service, token, '', service.alex.apiKey), 'user_suspended')
    await expectError(await post(service, token, '', service.alex.apiKey), 'rate_limited')
  })
})

describe.each([
  ['hidden by an administrator', true],
  ['not public by choice', false],
] as const)('a player who is %s', (_, isSuspended) => {
  it('does not exist for strangers: reads, profiles, streams and the leaderboard', async () => {
    const { service, token, admin } = await openService()
    await post(service, await token())
    if (isSuspended) await admin('POST', '/admin/users/Alex/suspend', { hide: true })
    else expect((await service.request('/user', authorized('PATCH', { public: false }))).status).toBe(200)

    for (const path of ['/get/fish?name=Alex&gamemode=earth', '/get/profile?name=Alex', '/events?name=Alex']) {
      await expectError(await service.request(path), 'user_not_found')
    }
    const listed = await service.request('/get/leaderboard?kind=fish')
    expect(await listed.json()).toEqual({ leaderboard: [] })
    const details = (await (await admin('GET', '/admin/users/Alex')).json()) as UserDetails
    expect(details).toMatchObject(isSuspended ? { suspended: true, hidden: true } : { public: false })
    expect((await read(service, service.alex.apiKey)).status).toBe(isSuspended ? 404 : 200)
    expect((await post(service, await token('Koi'))).status).toBe(isSuspended ? 403 : 201)

    if (isSuspended) await admin('POST', '/admin/users/Alex/unsuspend')
    else await service.request('/user', authorized('PATCH', { public: true }))
    expect((await read(service)).status).toBe(200)
  })

  it('ends the open streams of strangers', async () => {
    const { service, token, admin } = await openService()
    await post(service, await token())
    const open = async (headers: Record<string, string>) =>
      (await service.request('/events?name=Alex&gamemode=earth&kind=fish', { headers })).body
        ?.pipeThrough(new TextDecoderStream())
        .getReader() as ReadableStreamDefaultReader<string>
    const [stranger, own] = await Promise.all([open({}), open({ 'x-api-key': service.alex.apiKey })])
    await Promise.all([stranger.read(), own.read()])
    const next = stranger.read()
    const ofOwn = own.read()
    if (isSuspended) await admin('POST', '/admin/users/Alex/suspend', { hide: true })
    else await service.request('/user', authorized('PATCH', { public: false }))
    expect((await next).value).toContain('event: deleted')
    expect((await stranger.read()).done).toBe(true)
    if (!isSuspended) await post(service, await token('Koi'))
    expect((await ofOwn).value).toContain(isSuspended ? 'event: deleted' : 'Koi')
    await own.cancel()
  })
})

describe('a player who deletes the account', () => {
  it('types the password again, and is gone with all catches', async () => {
    const { service, token } = await openService()
    await post(service, await token())
    const wrong = await service.request('/user', authorized('DELETE', { password: 'wrong-password' }))
    await expectError(wrong, 'invalid_credentials')
    expect((await read(service)).status).toBe(200)
    expect((await service.request('/user', authorized('DELETE', { password: 'alex-password' }))).status).toBe(204)
    await expectError(await read(service), 'user_not_found')
  })
})
