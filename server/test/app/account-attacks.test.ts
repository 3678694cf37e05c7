import type { CreatedInvitation, FishCollection, Profile } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { createMemoryStorage } from '@fish-crab/server/app'
import { describe, expect, it } from 'vitest'
import { asRoot } from './administration.ts'
import { expectError } from './errors.ts'
import { openEvents } from './event-stream.ts'
import { createFailingStorage } from './failing-storage.ts'
import { createMemoryService } from './memory-service.ts'
import { basic, type TestService, UNLIMITED } from './test-service.ts'

const OPTIONS = {
  ...UNLIMITED,
  publicUrl: 'https://fish.example.org',
  publicLeaderboard: true,
  pages: { template: async () => '<title>{{title}}</title>', asset: async () => undefined },
  renderCard: async () => new Uint8Array([1]),
} as const

async function openService(options = {}) {
  const service = await createMemoryService({ ...OPTIONS, ...options })
  const fernet = createFernet(service.alex.fernetKey)
  const token = (payload: object = { fish: 'Salmon', rarity: 3 }) => fernet.encrypt(JSON.stringify(payload))
  return { service, token, admin: await asRoot(service) }
}

const NEVER_MS = 3_600_000

const POST = { method: 'POST', headers: { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth' } }

const post = (service: TestService, body: string, name = 'Alex') =>
  service.request(`/post/fish?name=${name}`, { ...POST, body })

/** Sends a request whose body ends only after `meanwhile`, as a slow client does. */
async function sendSlowly(
  service: TestService,
  { path, init, body, meanwhile }: { path: string; init: RequestInit; body: string; meanwhile: () => Promise<unknown> },
): Promise<Response> {
  const parts = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await meanwhile()
        controller.enqueue(new TextEncoder().encode(body))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return service.request(path, { ...init, body: parts, duplex: 'half' } as RequestInit)
}

const asAlex = { authorization: basic('Alex', 'alex-password'), 'content-type': 'application/json' }

describe('a request that was sent before a suspension and ends after it', () => {
  it.each([
    ['POST', '/user/rename', { name: 'Zoe' }],
    ['PATCH', '/user', { public: false }],
    ['POST', '/user/password', { password: 'another password' }],
    ['DELETE', '/user', { password: 'alex-password' }],
  ])('is refused: %s %s', async (method, path, change) => {
    const { service, admin } = await openService()
    const response = await sendSlowly(service, {
      ...{ path, init: { method, headers: asAlex }, body: JSON.stringify(change) },
      meanwhile: () => admin('POST', '/admin/users/Alex/suspend', { hide: true }),
    })
    await expectError(response, 'user_suspended')
    expect(await (await admin('GET', '/admin/users/Alex')).json()).toMatchObject({ name: 'Alex', suspended: true })
  })

  it('adds no catch', async () => {
    const { service, token, admin } = await openService()
    const response = await sendSlowly(service, {
      ...{ path: '/post/fish?name=Alex', init: POST, body: await token() },
      async meanwhile() {
        await admin('POST', '/admin/users/Alex/suspend', {})
        service.advance(2000)
      },
    })
    await expectError(response, 'user_suspended')
  })
})

describe('a request that was sent before a reset of the password and ends after it', () => {
  it.each([
    ['POST', '/user/rename', { name: 'Zoe' }],
    ['PATCH', '/user', { public: false }],
  ])('is refused: %s %s', async (method, path, change) => {
    const { service, admin } = await openService()
    const response = await sendSlowly(service, {
      ...{ path, init: { method, headers: asAlex }, body: JSON.stringify(change) },
      meanwhile: () => admin('POST', '/admin/users/Alex/reset', { type: 'password' }),
    })
    await expectError(response, 'invalid_credentials')
  })
})

describe('after a rename', () => {
  it('responses that were cached before have the new name, and their entity tags do not match', async () => {
    const { service, token, admin } = await openService()
    await post(service, await token())
    const paths = [
      '/get/fish?gamemode=earth',
      '/get/fish?gamemode=earth&summary=species',
      '/get/fish?gamemode=earth&limit=1',
      '/get/profile?',
      '/get/profile?species=true',
    ]
    const tags = new Map<string, string>()
    for (const path of paths) {
      const before = await service.request(`${path}&name=Alex`)
      expect(((await before.json()) as Profile).user).toBe('Alex')
      tags.set(path, before.headers.get('etag') ?? '')
    }
    await admin('POST', '/admin/users/Alex/rename', { name: 'Zoe' })
    for (const path of paths) {
      const headers = { 'if-none-match': tags.get(path) ?? '' }
      const after = await service.request(`${path}&name=Zoe`, { headers })
      expect([path, after.status]).toEqual([path, 200])
      expect(((await after.json()) as FishCollection).user).toBe('Zoe')
    }
  })

  it('pages and pictures that were shown before have the new address', async () => {
    const { service, token, admin } = await openService()
    await post(service, await token())
    for (const rest of ['', '/badge.svg', '/card.png'])
      expect((await service.request(`/@Alex${rest}`)).status).toBe(200)
    await admin('POST', '/admin/users/Alex/rename', { name: 'Zoe' })
    for (const rest of ['', '/badge.svg', '/card.png']) {
      expect((await service.request(`/@Zoe${rest}`)).status).toBe(200)
      const moved = await service.request(`/@Alex${rest}`)
      expect([moved.status, moved.headers.get('location')]).toEqual([301, `/@Zoe${rest}`])
    }
  })

  it('the old name in a payload and in the query of a key still means the player, for 90 days', async () => {
    const { service, token, admin } = await openService()
    await admin('POST', '/admin/users/Alex/rename', { name: 'Zoe' })
    const caught = { fish: 'Salmon', rarity: 3 }
    for (const user of ['alex', 'ZOE']) {
      expect((await post(service, await token({ ...caught, user }))).status).toBe(201)
      const key = await service.request(`/get/user/key?name=${user}`, { headers: asAlex })
      expect([user, key.status]).toEqual([user, 200])
    }
    await admin('POST', '/admin/users', { name: 'Bea' })
    await expectError(await post(service, await token({ ...caught, user: 'Bea' })), 'user_mismatch')
    await expectError(await post(service, await token({ ...caught, user: 'nobody' })), 'user_mismatch')
    service.advance(90 * 86_400_000)
    await expectError(await post(service, await token({ ...caught, user: 'Alex' }), 'Zoe'), 'user_mismatch')
  })
})

describe('a stream that opens while its player is hidden', () => {
  it('ends at once', async () => {
    const storage = createMemoryStorage()
    let hide = async () => {}
    const version: typeof storage.version = async (collection) => {
      const current = await storage.version(collection)
      await hide()
      return current
    }
    const { service, admin } = await openService({
      storage: { ...storage, observedBy: () => ({ ...storage, version }) },
      // The test must not pass because of the regular check.
      streams: { checkMs: 600_000 },
    })
    hide = async () => {
      hide = async () => {}
      await admin('POST', '/admin/users/Alex/suspend', { hide: true })
    }
    const response = await service.request('/events?name=Alex&gamemode=earth&kind=fish')
    expect(await response.text()).toMatch(/event: deleted|user_not_found/)
  })
})

describe('streams of a suspended or private player', () => {
  it('end at the next check if the signal of the change is lost', async () => {
    const { storage, failAt } = createFailingStorage()
    const { service, admin } = await openService({ storage, streams: { checkMs: 10 } })
    const events = await openEvents(service)
    await events.ready()
    failAt(/^signalChange/)
    await admin('POST', '/admin/users/Alex/suspend', { hide: true })
    expect((await events.rest()).map(({ event }) => event)).toEqual(['deleted'])
  })

  it('stay open for a player who is suspended but not hidden, until the player is hidden', async () => {
    const { service, token, admin } = await openService({ streams: { checkMs: NEVER_MS } })
    const events = await openEvents(service)
    await events.ready()
    await admin('POST', '/admin/users/Alex/suspend', {})
    await expectError(await post(service, await token()), 'user_suspended')
    await admin('POST', '/admin/users/Alex/unsuspend')
    await post(service, await token({ fish: 'Koi', rarity: 1 }))
    expect(await events.catches(1)).toMatchObject([{ data: { name: 'Koi' } }])
    await admin('POST', '/admin/users/Alex/suspend', { hide: true })
    expect((await events.rest()).map(({ event }) => event)).toEqual(['deleted'])
    await expectError(await post(service, await token()), 'user_suspended')
  })

  it('resume from the last event id after the player is shown again', async () => {
    const { service, token, admin } = await openService()
    const events = await openEvents(service)
    const { id } = await events.ready()
    await post(service, await token({ fish: 'Koi', rarity: 1 }))
    const [first] = await events.catches(1)
    await admin('POST', '/admin/users/Alex/suspend', { hide: true })
    await events.rest()
    await admin('POST', '/admin/users/Alex/unsuspend')
    await post(service, await token({ fish: 'Cod', rarity: 1 }))
    const all = await openEvents(service, { lastEventId: id, query: '&follow=false' })
    expect((await all.catches(2)).map(({ data }) => (data as { name: string }).name)).toEqual(['Koi', 'Cod'])
    const rest = await openEvents(service, { lastEventId: first?.id, query: '&follow=false' })
    expect((await rest.catches(1)).map(({ data }) => (data as { name: string }).name)).toEqual(['Cod'])
  })
})

describe('an invitation that is used, expired or ended', () => {
  it.each([
    ['with a name', { name: 'Zoe' }],
    ['without a name', {}],
    ['with the name of a player', { name: 'Alex' }],
  ])('looks like an unknown one, %s', async (_, given) => {
    const { service, admin } = await openService()
    const invite = async (by = admin) => {
      const { id, url } = (await (await by('POST', '/admin/invitations', { uses: 1 })).json()) as CreatedInvitation
      return { id, token: url.slice(url.indexOf('#') + 1) }
    }
    const redeem = (body: object) =>
      service.request('/user/login-link', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ nonce: 'a nonce of the client', ...body }),
      })
    const [used, ended, expired] = [await invite(), await invite(), await invite()]
    expect((await redeem({ token: used.token, name: 'Bea' })).status).toBe(200)
    await admin('DELETE', `/admin/invitations/${ended.id}`)
    service.advance(72 * 3_600_000)
    const open = await invite(await asRoot(service))
    const tokens = [
      used.token,
      ended.token,
      expired.token,
      `${expired.token.slice(0, -3)}AAA`,
      `${open.token.slice(0, -3)}AAA`,
      'i',
      '',
      'x'.repeat(128),
    ]
    const seen = []
    for (const token of tokens) {
      const response = await redeem({ ...given, token, nonce: 'the nonce of a stranger' })
      const { requestId: _, ...body } = (await response.json()) as Record<string, unknown>
      const headers = [...response.headers].filter(
        ([name]) => !/^(x-request-id|x-ratelimit-(remaining|reset))$/.test(name),
      )
      seen.push(JSON.stringify([response.status, body, headers]))
    }
    expect(seen[0]).toContain('link_not_found')
    expect(new Set(seen).size).toBe(1)
  })
})

describe('a hidden player looks like an unknown one', () => {
  const READS = [
    '/get/fish?gamemode=earth&name=',
    '/get/fish?gamemode=earth&summary=species&name=',
    '/get/fish?gamemode=earth&detail=full&limit=1&name=',
    '/v1/get/crab?gamemode=earth&name=',
    '/get/profile?name=',
    '/get/profile?species=true&name=',
    '/events?name=',
    '/events?gamemode=earth&kind=fish&follow=false&name=',
    '/@',
    '/v1/@',
  ]
  const PATHS: readonly ((name: string) => string)[] = [
    ...READS.map((path) => (name: string) => path + name),
    (name) => `/@${name}/badge.svg`,
    (name) => `/@${name}/card.png`,
    (name) => `/@${name}/vs/Bea`,
    (name) => `/@Bea/vs/${name}`,
    (name) => `/overlay/${name}`,
    (name) => `/get/leaderboard?kind=fish&name=${name}`,
  ]

  it.each([
    ['by an administrator', true],
    ['by choice', false],
  ])('%s: on every route, with and without a key, for GET and HEAD', async (_, isSuspended) => {
    const { service, token, admin } = await openService()
    await admin('POST', '/admin/users', { name: 'Bea' })
    const other = (await (await admin('POST', '/admin/users', { name: 'Cleo' })).json()) as { apiKey: string }
    await post(service, await token())
    for (const path of PATHS) await (await service.request(path('Alex'), { method: 'HEAD' })).text()
    // The old name of a hidden player must not lead to the new one.
    await admin('POST', '/admin/users/Alex/rename', { name: 'Zoes' })
    if (isSuspended) await admin('POST', '/admin/users/Zoes/suspend', { hide: true })
    else await service.request('/user', { method: 'PATCH', headers: asAlex, body: '{"public":false}' })

    const seen = async (path: string, name: string, init: RequestInit) => {
      const response = await service.request(path, init)
      const headers = [...response.headers].filter(
        ([key]) => !/^(x-request-id|x-ratelimit-(remaining|reset)|etag)$/.test(key),
      )
      const body = (await response.text()).replaceAll(/"requestId":"[^"]*"/g, '').replaceAll(name, 'NAME')
      return [path.replaceAll(name, 'NAME'), response.status, body, headers]
    }
    for (const path of PATHS) {
      for (const method of ['GET', 'HEAD']) {
        for (const headers of [{}, { 'x-api-key': 'wrong' }, { 'x-api-key': other.apiKey }]) {
          const unknown = await seen(path('Nope'), 'Nope', { method, headers })
          expect(await seen(path('Zoes'), 'Zoes', { method, headers })).toEqual(unknown)
          expect(await seen(path('Alex'), 'Alex', { method, headers })).toEqual(unknown)
        }
      }
    }
  })
})

describe('redemptions', () => {
  it('count only when they fail, for each client', async () => {
    const { service, admin } = await openService()
    const redeem = (token: string, address: string) =>
      service.request('/user/login-link', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-test-address': address },
        body: JSON.stringify({ nonce: 'a nonce of the client', token }),
      })
    for (let round = 0; round < 12; round += 1) {
      const { url } = (await (await admin('POST', '/admin/users/Alex/login-link', {})).json()) as { url: string }
      expect((await redeem(url.slice(url.indexOf('#') + 1), '192.0.2.7')).status).toBe(200)
    }
    for (let round = 0; round < 10; round += 1) await expectError(await redeem('wrong', '192.0.2.7'), 'link_not_found')
    await expectError(await redeem('wrong', '192.0.2.7'), 'rate_limited')
    await expectError(await redeem('wrong', '192.0.2.8'), 'link_not_found')
  })
})
