import type { AuditPage, Profile, UserDetails, UserName } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { describe, expect, it } from 'vitest'
import { asRoot, create, list, names } from './administration.ts'
import { expectError } from './errors.ts'
import { createFailingStorage } from './failing-storage.ts'
import { createMemoryService } from './memory-service.ts'
import { basic, type TestService, UNLIMITED } from './test-service.ts'

const DAY_MS = 86_400_000

function postFish(service: Pick<TestService, 'request'>, name: string, token: string): Promise<Response> {
  return service.request(`/post/fish?name=${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth' },
    body: token,
  })
}

const rename = (service: Pick<TestService, 'request'>, from: string, to: string, password = 'alex-password') =>
  service.request('/user/rename', {
    method: 'POST',
    headers: { authorization: basic(from, password), 'content-type': 'application/json' },
    body: JSON.stringify({ name: to }),
  })

const profile = async (service: Pick<TestService, 'request'>, name: string) =>
  (await (await service.request(`/get/profile?name=${name}`)).json()) as Profile

describe('a renamed player', () => {
  it('keeps id, keys, password and catches, and the old name means the player for 90 days', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    const { alex } = service
    const token = () => createFernet(alex.fernetKey).encrypt('{"fish":"Salmon","rarity":3}')
    await postFish(service, 'Alex', await token())
    const renamed = await admin('POST', '/admin/users/alex/rename', { name: 'Zoe' })
    expect(await renamed.json()).toEqual({ name: 'Zoe' } satisfies UserName)

    expect((await postFish(service, 'Alex', await token())).status).toBe(201)
    expect((await postFish(service, 'Zoe', await token())).status).toBe(201)
    for (const name of ['alex', 'ZOE']) {
      expect(await profile(service, name)).toMatchObject({ user: 'Zoe', total: 3 })
      const key = await service.request('/get/user/key', { headers: { authorization: basic(name, 'alex-password') } })
      expect(await key.json()).toEqual({ fernetKey: alex.fernetKey })
    }
    const headers = { 'x-api-key': alex.apiKey }
    expect((await service.request('/status', { headers })).headers.has('x-ratelimit-limit')).toBe(false)
    expect(names(await list(admin))).toEqual(['Zoe'])
    expect(((await (await admin('GET', '/admin/users/Zoe')).json()) as UserDetails).id).toBe(alex.id)
    await expectError(await admin('POST', '/admin/users', { name: 'Alex' }), 'user_exists')
    const { entries } = (await (await admin('GET', '/admin/audit?action=user.rename')).json()) as AuditPage
    expect(entries).toMatchObject([{ actor: 'root', subject: 'Alex', newName: 'Zoe' }])

    service.advance(90 * DAY_MS)
    const later = await asRoot(service)
    await expectError(await service.request('/get/profile?name=Alex'), 'user_not_found')
    expect((await create(later, 'Alex')).id).not.toBe(alex.id)
    expect((await service.request('/status', { headers })).headers.has('x-ratelimit-limit')).toBe(false)
    expect(await profile(service, 'Zoe')).toMatchObject({ total: 3 })
  })

  it('has its page and pictures under the new address, and the old addresses lead there', async () => {
    const service = await createMemoryService({
      ...UNLIMITED,
      pages: { template: async () => '<title>{{title}}</title>', asset: async () => undefined },
    })
    await rename(service, 'Alex', 'Zoe')
    for (const rest of ['', '/badge.svg']) {
      const moved = await service.request(`/@alex${rest}`)
      expect([moved.status, moved.headers.get('location')]).toEqual([301, `/@Zoe${rest}`])
      expect((await service.request(`/@zoe${rest}`)).status).toBe(200)
      const asked = await service.request(`/@Alex${rest}?gamemode=earth`)
      expect(asked.headers.get('location')).toBe(`/@Zoe${rest}?gamemode=earth`)
    }
  })

  it('can change only the case of the name, rename twice, and take the first name again', async () => {
    const service = await createMemoryService(UNLIMITED)
    for (const [from, to] of [
      ['Alex', 'ALEX'],
      ['alex', 'Bea'],
      ['Alex', 'Cleo'],
      ['Bea', 'Alex'],
    ] as const) {
      expect(await (await rename(service, from, to)).json()).toEqual({ name: to })
    }
    for (const name of ['Alex', 'Bea', 'Cleo']) expect(await profile(service, name)).toMatchObject({ user: 'Alex' })
    const admin = await asRoot(service)
    expect(names(await list(admin))).toEqual(['Alex'])
    expect((await admin('DELETE', '/admin/users/Cleo')).status).toBe(204)
    for (const name of ['Alex', 'Bea', 'Cleo']) {
      await expectError(await service.request(`/get/profile?name=${name}`), 'user_not_found')
    }
    expect((await admin('POST', '/admin/users', { name: 'Bea' })).status).toBe(201)
  })

  it('can choose five names within 90 days, which an administrator can exceed', async () => {
    const service = await createMemoryService(UNLIMITED)
    const chosen = ['Alex', 'Bea', 'Cleo', 'Dora', 'Eva', 'Fay', 'Gia']
    const attempt = (index: number) => rename(service, chosen[index] ?? '', chosen[index + 1] ?? '')
    for (let index = 0; index < 5; index += 1) expect((await attempt(index)).status).toBe(200)
    await expectError(await attempt(5), 'too_many_renames')
    const admin = await asRoot(service)
    expect((await admin('POST', '/admin/users/Fay/rename', { name: 'Gia' })).status).toBe(200)
    service.advance(90 * DAY_MS)
    expect((await rename(service, 'Gia', 'Alex')).status).toBe(200)
  })

  it('does not use up a name by taking an old name again', async () => {
    const service = await createMemoryService(UNLIMITED)
    const chosen = ['Alex', 'Bea', 'Cleo', 'Dora', 'Eva', 'Alex', 'Fay']
    for (const [index, from] of chosen.slice(0, -1).entries()) {
      expect((await rename(service, from, chosen[index + 1] ?? '')).status).toBe(200)
    }
  })

  it('keeps an API key of which another migrated player is the owner with that player', async () => {
    const service = await createMemoryService(UNLIMITED)
    const { apiKey } = service.alex
    const bea = await service.app.users.create({ name: 'Bea', apiKey })
    expect((await rename(service, 'Alex', 'Zoe')).status).toBe(200)
    const posted = await service.request('/post/fish', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth', 'x-api-key': apiKey },
      body: await createFernet(bea.fernetKey).encrypt('{"fish":"Salmon","rarity":3}'),
    })
    expect([posted.status, (await profile(service, 'Bea')).total]).toEqual([201, 1])
  })

  it('cannot take the name of another player, current or old', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    await create(admin, 'Bea')
    await expectError(await rename(service, 'Alex', 'bea'), 'user_exists')
    await admin('POST', '/admin/users/Bea/rename', { name: 'Cleo' })
    await expectError(await rename(service, 'Alex', 'Bea'), 'user_exists')
    await expectError(await rename(service, 'Alex', 'two words'), 'invalid_payload')
    expect(await profile(service, 'Alex')).toMatchObject({ user: 'Alex' })
  })

  it('has one name when two renames run at the same time, and one player gets a name that two want', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    const bea = await create(admin, 'Bea')
    const own = await Promise.all([rename(service, 'Alex', 'Zoe'), rename(service, 'Alex', 'Yve')])
    expect(own.map(({ status }) => status)).toEqual([200, 200])
    const [first = '', ...others] = names(await list(admin)).filter((name) => name !== 'Bea')
    expect([['Zoe', 'Yve'].includes(first), others]).toEqual([true, []])
    const both = await Promise.all([rename(service, first, 'Star'), rename(service, 'Bea', 'Star', bea.password)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(names(await list(admin))).toHaveLength(2)
  })

  it.each(['before', 'after'])('is gone when the deletion starts %s a rename', async (order) => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    const both = [() => admin('DELETE', '/admin/users/Alex'), () => rename(service, 'Alex', 'Zoe')]
    await Promise.all((order === 'before' ? both : both.toReversed()).map((send) => send()))
    expect(names(await list(admin))).toEqual([])
    for (const name of ['Alex', 'Zoe']) {
      await expectError(await service.request(`/get/profile?name=${name}`), 'user_not_found')
    }
  })

  describe.each([
    /^setItemIfAbsent/,
    /^removeItemIf/,
    /^replaceItemIf/,
    /^items\.setItem old-name:/,
    /^items\.setItem user-name:/,
  ])('whose rename fails at %s', (step) => {
    async function openService() {
      const { storage, failAt } = createFailingStorage()
      const service = await createMemoryService({ ...UNLIMITED, storage })
      const admin = await asRoot(service)
      failAt(step)
      await expectError(await rename(service, 'Alex', 'Zoe'), 'storage_error')
      failAt()
      return { service, admin }
    }

    it('is the same player, and a repetition finishes the rename', async () => {
      const { service, admin } = await openService()
      expect(await profile(service, 'Alex')).toMatchObject({ total: 0 })
      await admin('POST', '/admin/users/Alex/suspend', {})
      await admin('POST', '/admin/users/Alex/unsuspend')
      expect(await (await rename(service, 'Alex', 'Zoe')).json()).toEqual({ name: 'Zoe' })
      expect(names(await list(admin))).toEqual(['Zoe'])
      const { apiKey } = service.alex
      const status = await service.request('/status', { headers: { 'x-api-key': apiKey } })
      expect(status.headers.has('x-ratelimit-limit')).toBe(false)
    })

    it('leaves both names to others when the player is deleted', async () => {
      const { admin } = await openService()
      expect((await admin('DELETE', '/admin/users/Alex')).status).toBe(204)
      for (const name of ['Alex', 'Zoe']) expect((await admin('POST', '/admin/users', { name })).status).toBe(201)
    })
  })
})
