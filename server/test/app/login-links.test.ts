import { createHash } from 'node:crypto'
import type { CreatedInvitation, InvitationList, LoginFile, LoginLink } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import type { AppOptions } from '@fish-crab/server/app'
import { describe, expect, it } from 'vitest'
import { HttpError } from '../../src/app/http/http-error.ts'
import { secretKey } from '../../src/app/store/item-keys.ts'
import type { StoredLogin } from '../../src/app/users/logins.ts'
import { type AsAdmin, actions, asRoot } from './administration.ts'
import { expectError } from './errors.ts'
import { createFailingStorage } from './failing-storage.ts'
import { createMemoryService, createSteppedPasswords } from './memory-service.ts'
import { basic, type TestService, UNLIMITED } from './test-service.ts'

const PUBLIC_URL = 'https://fish.example.org'
const NONCE = 'a nonce of the client'
const HOUR_MS = 3_600_000

async function openService(options: Partial<AppOptions> = {}) {
  const service = await createMemoryService({ ...UNLIMITED, publicUrl: PUBLIC_URL, ...options })
  return { service, admin: await asRoot(service) }
}

async function newLink(admin: AsAdmin, body: object = {}): Promise<string> {
  const { url } = (await (await admin('POST', '/admin/users/Alex/login-link', body)).json()) as LoginLink
  expect(url).toMatch(/^https:\/\/fish\.example\.org\/login#u[0-9a-f-]{36}\.[\w-]{43}$/)
  return url.slice(url.indexOf('#') + 1)
}

async function newInvitation(admin: AsAdmin, uses: number) {
  const response = await admin('POST', '/admin/invitations', { uses })
  expect(response.status).toBe(201)
  const { url, id } = (await response.json()) as CreatedInvitation
  return { id, token: url.slice(url.indexOf('#') + 1) }
}

function redeem(service: TestService, body: object): Promise<Response> {
  return service.request('/user/login-link', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ nonce: NONCE, ...body }),
  })
}

const readKey = (service: TestService, password: string, name = 'Alex') =>
  service.request('/get/user/key', { headers: { authorization: basic(name, password) } })

const isUnlimited = async (service: TestService, apiKey: string) =>
  (await service.request('/status', { headers: { 'x-api-key': apiKey } })).headers.get('x-ratelimit-limit') === null

describe('a login link', () => {
  it('replaces the password and the API key once, and keeps the Fernet key', async () => {
    const { service, admin } = await openService()
    const { alex } = service
    const token = await newLink(admin)
    const response = await redeem(service, { token, password: 'a chosen password' })
    const file = (await response.json()) as LoginFile
    expect(file).toEqual({
      ...{ version: 1, service: PUBLIC_URL, name: 'Alex', password: 'a chosen password' },
      ...{ fernetKey: alex.fernetKey, apiKey: expect.stringMatching(/^fck_/) },
    })
    expect((await readKey(service, 'a chosen password')).status).toBe(200)
    await expectError(await readKey(service, 'alex-password'), 'invalid_credentials')
    expect([await isUnlimited(service, file.apiKey), await isUnlimited(service, alex.apiKey)]).toEqual([true, false])
    await expectError(await redeem(service, { token, nonce: 'another nonce of a client' }), 'link_not_found')
    expect(await actions(admin)).toEqual(
      expect.arrayContaining(['root user.login-link Alex', 'Alex user.login-link.redeem Alex']),
    )
    expect(await (await admin('GET', '/admin/audit')).text()).not.toContain(token)
  })

  it('gives a valid API key to a repeated request, although the service stopped before the key was stored', async () => {
    const { storage, failAt } = createFailingStorage()
    const { service, admin } = await openService({ storage })
    const token = await newLink(admin)
    failAt(/^items\.setItem api-key:/)
    await expectError(await redeem(service, { token }), 'storage_error')
    failAt()
    const { apiKey } = (await (await redeem(service, { token })).json()) as LoginFile
    expect(await isUnlimited(service, apiKey)).toBe(true)
  })

  it('stores a response that nobody can decrypt with the link alone', async () => {
    const { service, admin } = await openService()
    const { storage, alex } = service
    const token = await newLink(admin)
    await redeem(service, { token })
    const { redeemed } = JSON.parse((await storage.items.getItem(secretKey(alex.id, 'login'))) ?? '') as StoredLogin
    const secret = token.slice(token.indexOf('.') + 1)
    const read = (key: string) =>
      createFernet(createHash('sha256').update(key).digest('base64url')).decrypt(redeemed?.response ?? '')
    await expect(read(secret)).rejects.toThrow()
    await expect(read(`${secret} ${NONCE}`)).resolves.toBeDefined()
  })

  it('gives the same response to the same nonce for ten minutes, also to requests at the same time', async () => {
    const { service, admin } = await openService()
    const token = await newLink(admin)
    const responses = await Promise.all([redeem(service, { token }), redeem(service, { token })])
    const [first, second] = await Promise.all(responses.map((response) => response.text()))
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(second).toBe(first)
    service.advance(599_000)
    expect(await (await redeem(service, { token })).text()).toBe(first)
    service.advance(1000)
    await expectError(await redeem(service, { token }), 'link_not_found')
  })

  it.each([
    ['expiry', async (service: Service) => service.advance(72 * HOUR_MS)],
    ['a newer link', async (_: Service, admin: AsAdmin) => newLink(admin)],
    ['a reset of the password', async (_: Service, admin: AsAdmin) => admin('POST', RESET, { type: 'password' })],
    ['a reset of the Fernet key', async (_: Service, admin: AsAdmin) => admin('POST', RESET, { type: 'fernet' })],
    ['a reset of the API key', async (_: Service, admin: AsAdmin) => admin('POST', RESET, { type: 'api-key' })],
    [
      'a suspension, even if it ended',
      async (_: Service, admin: AsAdmin) => {
        await admin('POST', '/admin/users/Alex/suspend', {})
        await admin('POST', '/admin/users/Alex/unsuspend')
      },
    ],
    ['the deletion of the player', async (_: Service, admin: AsAdmin) => admin('DELETE', '/admin/users/Alex')],
    [
      'a deletion and a new player with the name',
      async (_: Service, admin: AsAdmin) => {
        await admin('DELETE', '/admin/users/Alex')
        await admin('POST', '/admin/users', { name: 'Alex' })
      },
    ],
  ])('ends with %s', async (_, end) => {
    const { service, admin } = await openService()
    const token = await newLink(admin)
    await end(service, admin)
    await expectError(await redeem(service, { token }), 'link_not_found')
  })

  it('has the same error when it is used, wrong or malformed, and ten failures of a client are the limit', async () => {
    const { service, admin } = await openService()
    const token = await newLink(admin)
    const wrong = [`${token.slice(0, -3)}AAA`, 'nothing', `u${'0'.repeat(36)}.${'A'.repeat(43)}`]
    for (const one of wrong) await expectError(await redeem(service, { token: one }), 'link_not_found')
    expect(await actions(admin)).not.toContain('Alex user.login-link.redeem Alex')
    for (let count = 3; count < 10; count += 1) await redeem(service, { token: 'nothing' })
    await expectError(await redeem(service, { token }), 'rate_limited')
  })

  it('needs the public address of the service, whatever the Host header says', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    await expectError(await admin('POST', '/admin/users/Alex/login-link', {}), 'public_url_missing')
    await expectError(await admin('POST', '/admin/invitations', { uses: 1 }), 'public_url_missing')
  })

  it('is refused for a suspended player, and leaves no trace in the audit log', async () => {
    const { admin } = await openService()
    await admin('POST', '/admin/users/Alex/suspend', {})
    await expectError(await admin('POST', '/admin/users/Alex/login-link', {}), 'user_suspended')
    expect(await actions(admin)).not.toContain('root user.login-link Alex')
  })

  it('lasts up to 720 hours', async () => {
    const { service, admin } = await openService()
    const link = async (hours: number) => admin('POST', '/admin/users/Alex/login-link', { hours })
    const { expiresAt } = (await (await link(1)).json()) as LoginLink
    expect(Date.parse(expiresAt)).toBe(service.now() + HOUR_MS)
    for (const hours of [0, 721, 1.5]) await expectError(await link(hours), 'invalid_payload')
  })
})

type Service = Awaited<ReturnType<typeof openService>>['service']
const RESET = '/admin/users/Alex/reset'

describe('an invitation', () => {
  it('creates as many players as it has uses, who choose their names, and lists them', async () => {
    const { service, admin } = await openService()
    const { id, token } = await newInvitation(admin, 2)
    const join = (name: string, nonce: string) => redeem(service, { token, name, nonce: `${nonce} of a client` })
    const first = (await (await join('Bea', 'nonce one')).json()) as LoginFile
    expect((await readKey(service, first.password, 'Bea')).status).toBe(200)
    expect(await isUnlimited(service, first.apiKey)).toBe(true)
    await expectError(await join('Alex', 'nonce two'), 'user_exists')
    expect((await join('Cleo', 'nonce two')).status).toBe(200)
    await expectError(await join('Dora', 'nonce three'), 'link_not_found')
    expect(await (await join('Bea', 'nonce one')).json()).toEqual(first)

    const { invitations } = (await (await admin('GET', '/admin/invitations')).json()) as InvitationList
    expect(invitations).toMatchObject([
      { id, uses: 2, remaining: 0, createdBy: 'root', players: [{ name: 'Bea' }, { name: 'Cleo' }] },
    ])
  })

  it('never creates more players than its uses, even for requests at the same time', async () => {
    const { service, admin } = await openService()
    const { token } = await newInvitation(admin, 3)
    const names = Array.from({ length: 8 }, (_, index) => `Player${index}`)
    const responses = await Promise.all(
      names.map((name) => redeem(service, { token, name, nonce: `nonce of ${name}` })),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3)
  })

  it('creates one player for two requests with the same nonce at the same time', async () => {
    const { service, admin } = await openService()
    const { token } = await newInvitation(admin, 5)
    const both = await Promise.all([1, 2].map(() => redeem(service, { token, name: 'Bea' })))
    const [first, second] = await Promise.all(both.map((response) => response.text()))
    expect(second).toBe(first)
    const { invitations } = (await (await admin('GET', '/admin/invitations')).json()) as InvitationList
    expect(invitations[0]?.remaining).toBe(4)
  })

  it('creates the player of a repeated request for ten minutes, although the service stopped before', async () => {
    const { storage, failAt } = createFailingStorage()
    const { passwords, beforeHash } = createSteppedPasswords()
    const { service, admin } = await openService({ storage, passwords })
    const { token } = await newInvitation(admin, 2)
    const early = { token, name: 'Bea', nonce: 'the nonce of Bea' }
    const late = { token, name: 'Cleo', nonce: 'the nonce of Cleo' }
    // The use is taken, but neither the player can be created nor the use given back.
    beforeHash(async () => failAt(/^(setItemIfAbsent user:|replaceItemIf invitation:)/))
    for (const body of [early, late]) {
      failAt()
      await expectError(await redeem(service, body), 'storage_error')
    }
    beforeHash(async () => {})
    failAt()
    service.advance(599_000)
    expect((await redeem(service, early)).status).toBe(200)
    service.advance(1000)
    await expectError(await redeem(service, late), 'link_not_found')
  })

  it('keeps the use of a request that still runs when a repetition fails', async () => {
    const { passwords, beforeHash } = createSteppedPasswords()
    const { service, admin } = await openService({ passwords })
    const { token } = await newInvitation(admin, 1)
    const started = Promise.withResolvers<void>()
    const finished = Promise.withResolvers<void>()
    beforeHash(() => {
      started.resolve()
      return finished.promise
    })
    const first = redeem(service, { token, name: 'Bea' })
    await started.promise
    beforeHash(() => Promise.reject(new HttpError('unavailable')))
    await expectError(await redeem(service, { token, name: 'Bea' }), 'unavailable')
    await expectError(await redeem(service, { token, name: 'Cleo', nonce: 'another nonce here' }), 'link_not_found')
    finished.resolve()
    expect((await first).status).toBe(200)
  })

  it('needs a name, and ends when an administrator ends it', async () => {
    const { service, admin } = await openService()
    const { id, token } = await newInvitation(admin, 2)
    await expectError(await redeem(service, { token }), 'invalid_payload')
    expect((await admin('DELETE', `/admin/invitations/${id}`)).status).toBe(204)
    await expectError(await redeem(service, { token, name: 'Bea' }), 'link_not_found')
    await expectError(await admin('DELETE', `/admin/invitations/${id}`), 'invitation_not_found')
    const list = async (by: AsAdmin) =>
      ((await (await by('GET', '/admin/invitations')).json()) as InvitationList).invitations
    expect(await list(admin)).toMatchObject([{ id, expiresAt: new Date(service.now()).toISOString() }])
    service.advance(30 * 24 * HOUR_MS)
    expect(await list(await asRoot(service))).toEqual([])
  })

  it('gives no use back when the new player changes the password and the request is repeated', async () => {
    const { service, admin } = await openService()
    const { token } = await newInvitation(admin, 1)
    const body = { token, name: 'Bea', password: 'a chosen password' }
    expect((await redeem(service, body)).status).toBe(200)
    const headers = { authorization: basic('Bea', 'a chosen password'), 'content-type': 'application/json' }
    const change = { method: 'POST', headers, body: JSON.stringify({ password: 'another password' }) }
    expect((await service.request('/user/password', change)).status).toBe(204)
    await expectError(await redeem(service, body), 'link_not_found')
    await expectError(await redeem(service, { ...body, name: 'Cleo', nonce: 'another nonce here' }), 'link_not_found')
  })

  it('makes room for a new one by forgetting the oldest ended one, and never an open one', async () => {
    const { admin } = await openService()
    const ids: string[] = []
    for (let count = 0; count < 100; count += 1) ids.push((await newInvitation(admin, 1)).id)
    await expectError(await admin('POST', '/admin/invitations', { uses: 1 }), 'too_many_invitations')
    expect((await admin('DELETE', `/admin/invitations/${ids[5]}`)).status).toBe(204)
    await newInvitation(admin, 1)
    const { invitations } = (await (await admin('GET', '/admin/invitations')).json()) as InvitationList
    expect([invitations.length, invitations.some(({ id }) => id === ids[5])]).toEqual([100, false])
  })
})
