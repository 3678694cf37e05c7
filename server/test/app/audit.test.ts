import type { AuditEntry, AuditPage, Saved } from '@fish-crab/sdk/contract'
import { createMemoryStorage } from '@fish-crab/server/app'
import { describe, expect, it } from 'vitest'
import { type AsAdmin, asRoot, login } from './administration.ts'
import { expectError } from './errors.ts'
import { createMemoryService } from './memory-service.ts'
import { ADDRESS_HEADER, basic, UNLIMITED } from './test-service.ts'

const PASSWORD = 'a-long-password'

async function read(admin: AsAdmin, query = ''): Promise<AuditPage> {
  const response = await admin('GET', `/admin/audit${query}`)
  expect(response.status).toBe(200)
  return (await response.json()) as AuditPage
}

/** The entries without the logins of the test itself. */
const withoutLogins = ({ entries }: AuditPage) => entries.filter(({ action }) => action !== 'login')

const line = ({ actor, action, subject }: AuditEntry) => [actor, action, subject ?? ''].join(' ').trim()

describe('the audit log for administrators', () => {
  it('omits invalid requests and requests without effect', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    await login(service, 'root', 'wrong')
    await service.request('/get/user/key', { headers: { authorization: basic('Alex', 'wrong') } })
    await service.request('/get/user/key?name=Bob', { headers: { authorization: basic('Alex', 'alex-password') } })
    for (const [method, path, body] of [
      ['POST', '/admin/users', { name: 'alex' }],
      ['POST', '/admin/users/nobody/reset', { type: 'fernet' }],
      ['POST', '/admin/users/Alex/fish?gamemode=earth', { fish: [] }],
      ['DELETE', '/admin/users/nobody', undefined],
      ['DELETE', '/admin/admins/nobody', undefined],
      ['POST', '/admin/admins', { username: 'ROOT', password: PASSWORD }],
    ] as const) {
      expect((await admin(method, path, body)).status).toBeGreaterThanOrEqual(400)
    }
    for (const path of ['me', 'users', 'users/Alex', 'stats', 'audit']) await admin('GET', `/admin/${path}`)
    const entries = (await read(admin)).entries.map(line)
    expect(entries.toSorted()).toEqual(['Alex login.failed', 'root login', 'root login.failed'])
  })

  it('names the account of a failed login only if the account exists, since an unknown name may be a password', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    const fail = async (name: string) => {
      service.advance(1000)
      const headers = { authorization: basic(name, 'a-wrong-secret'), [ADDRESS_HEADER]: '198.51.100.9' }
      await expectError(await service.request('/get/user/key', { headers }), 'invalid_credentials')
    }
    await fail('ALEX')
    await fail('mY-pAsSw0rd')
    await fail('not a name')
    service.advance(1000)
    await expectError(await login(service, 'Root', 'a-wrong-secret', '198.51.100.9'), 'invalid_credentials')
    const { entries } = await read(admin)
    expect(entries.map(line)).toEqual([
      'root login.failed',
      '(unknown name) login.failed',
      'Alex login.failed',
      'root login',
    ])
    expect(entries[1]).toMatchObject({ count: 2 })
    expect(entries[0]).toMatchObject({ address: '198.51.100.9', requestId: expect.any(String) })
    expect(JSON.stringify(entries)).not.toMatch(/a-wrong-secret|mY-pAsSw0rd|not a name/i)
  })

  it('stores at most 10 entries of failed logins per site and 100 in total per hour', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    const fail = async (addresses: readonly string[]) => {
      for (const address of addresses) await login(service, 'nobody', 'a-wrong-secret', address)
    }
    const count = async () => withoutLogins(await read(admin, '?limit=500')).length
    await fail(Array.from({ length: 30 }, (_, at) => `2001:db8:1:${at}::1`))
    expect(await count()).toBe(10)
    await fail(Array.from({ length: 120 }, (_, at) => `2001:db8:${at + 2}::1`))
    expect(await count()).toBe(100)
    service.advance(3_600_000)
    await fail(['198.51.100.1'])
    const again = await asRoot(service)
    expect(withoutLogins(await read(again, '?limit=500'))).toHaveLength(101)
  })

  it('counts equal events of one client within five minutes in one entry, which keeps its place', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    const readKey = (address: string) =>
      service.request('/get/user/key', {
        headers: { authorization: basic('Alex', 'alex-password'), [ADDRESS_HEADER]: address },
      })
    const flood = () => Promise.all(Array.from({ length: 40 }, (_, at) => readKey(`2001:db8::${at}`)))
    const keyReads = async () => withoutLogins(await read(admin)).map((one) => [line(one), one.count, one.lastAt])
    for (const { status } of [...(await flood()), ...(await flood())]) expect(status).toBe(200)
    await admin('POST', '/admin/users', { name: 'Bob' })
    service.advance(299_999)
    const last = new Date(service.now()).toISOString()
    await readKey('2001:db8::1')
    const entry = ['Alex key.read Alex', 81, last]
    expect(await keyReads()).toEqual([['root user.create Bob', undefined, undefined], entry])
    service.advance(1)
    await readKey('2001:db8::1')
    await readKey('198.51.100.7')
    const single = ['Alex key.read Alex', undefined, undefined]
    expect(await keyReads()).toEqual([single, single, ['root user.create Bob', undefined, undefined], entry])
  })

  it('counts no event in an entry that was discarded', async () => {
    const storage = createMemoryStorage()
    const service = await createMemoryService({ ...UNLIMITED, storage })
    const readKey = () =>
      service.request('/get/user/key', { headers: { authorization: basic('Alex', 'alex-password') } })
    await readKey()
    const { items } = await storage.listItems({ base: 'audit:', limit: 1 })
    await storage.items.removeItem(items[0]?.key ?? '')
    await readKey()
    const keyReads = withoutLogins(await read(await asRoot(service)))
    expect(keyReads.map((one) => [line(one), one.count])).toEqual([['Alex key.read Alex', undefined]])
  })

  it('filters by actor, user and action, in any letter case, page by page', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    for (let count = 0; count < 3; count += 1) {
      await admin('POST', '/admin/users', { name: `User${count}` })
      for (const type of ['password', 'fernet']) await admin('POST', `/admin/users/User${count}/reset`, { type })
    }
    await login(service, 'Alex', 'wrong')
    const actions = async (query: string) => {
      const seen: string[] = []
      let cursor = ''
      do {
        const page: AuditPage = await read(admin, `?limit=2&${query}${cursor}`)
        expect(page.entries.length).toBeLessThanOrEqual(2)
        seen.push(...page.entries.map(line))
        cursor = page.nextCursor === undefined ? '' : `&cursor=${page.nextCursor}`
      } while (cursor !== '')
      return seen
    }
    expect(await actions('user=USER1')).toEqual([
      'root user.reset.fernet User1',
      'root user.reset.password User1',
      'root user.create User1',
    ])
    expect(await actions('action=user.create')).toEqual([2, 1, 0].map((count) => `root user.create User${count}`))
    expect(await actions('actor=Root&user=user2&action=user.reset.fernet')).toEqual(['root user.reset.fernet User2'])
    expect(await actions('user=root')).toEqual(['root login'])
    expect(await actions('actor=nobody')).toEqual([])
    await expectError(await admin('GET', '/admin/audit?action=dance'), 'invalid_query')
  })

  it('names the removed catches, at most ten species of them', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    const remove = async (...names: readonly string[]) => {
      const fish = names.map((name) => ({ name, rarity: 1 }))
      const saved = await admin('POST', '/admin/users/Alex/fish?gamemode=earth', { fish })
      const { id } = (await saved.json()) as Saved
      expect((await admin('DELETE', `/admin/users/Alex/fish/${id}?gamemode=earth`)).status).toBe(204)
    }
    const many = Array.from({ length: 12 }, (_, index) => `Koi ${index}`)
    await remove('Cod', 'Salmon “of\\doubt”', 'Cod')
    await remove(...many)

    const removals = (await read(admin, '?action=fish.delete')).entries
    expect(removals.map(({ catches, species }) => ({ catches, species }))).toEqual([
      { catches: 12, species: many.slice(0, 10) },
      { catches: 3, species: ['Cod', 'Salmon “of\\doubt”'] },
    ])
  })

  it('counts repeated moves of a record in one entry for each direction', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    const saved = await admin('POST', '/admin/users/Alex/fish?gamemode=earth', { fish: [{ name: 'Cod', rarity: 1 }] })
    const { id } = (await saved.json()) as Saved
    for (let times = 0; times < 3; times += 1) {
      for (const [from, to] of [
        ['earth', 'survival'],
        ['survival', 'earth'],
      ]) {
        expect(
          (await admin('POST', `/admin/users/Alex/fish/${id}/move?gamemode=${from}`, { gamemode: to })).status,
        ).toBe(204)
      }
    }
    const entries = withoutLogins(await read(admin)).map(({ action, gamemode, catches, count }) => ({
      action,
      gamemode,
      catches,
      count,
    }))
    expect(entries).toEqual([
      { action: 'fish.move', gamemode: 'survival', catches: 1, count: 3 },
      { action: 'fish.move', gamemode: 'earth', catches: 1, count: 3 },
      { action: 'fish.add', gamemode: 'earth', catches: 1, count: undefined },
    ])
  })

  it('lists entries in the order in which they were stored, even if the clock is set back', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    const create = (name: string) => admin('POST', '/admin/users', { name })
    await create('First')
    await create('Second')
    service.advance(-240_000)
    await create('Third')
    service.advance(60_000)
    await create('Fourth')
    const names = ['Fourth', 'Third', 'Second', 'First']
    expect(withoutLogins(await read(admin)).map(({ subject }) => subject)).toEqual(names)
    const page = await read(admin, '?limit=3')
    await create('Fifth')
    const rest = await read(admin, `?limit=10&cursor=${page.nextCursor}`)
    expect(withoutLogins({ entries: [...page.entries, ...rest.entries] }).map(({ subject }) => subject)).toEqual(names)
  })

  it('discards failed logins after a week, and keeps all other entries', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    const failed = async () => {
      const { entries } = await read(await asRoot(service))
      return entries.map(line).filter((one) => one !== 'root login')
    }
    const week = 7 * 24 * 3_600_000
    await login(service, 'root', 'a-wrong-secret')
    service.advance(1)
    await admin('POST', '/admin/users', { name: 'Bob' })
    service.advance(week - 2)
    await login(service, 'nobody', 'a-wrong-secret', '198.51.100.9')
    expect(await failed()).toEqual(['(unknown name) login.failed', 'root user.create Bob', 'root login.failed'])
    service.advance(1)
    await login(service, 'root', 'a-wrong-secret', '198.51.100.9')
    expect(await failed()).toEqual(['root login.failed', '(unknown name) login.failed', 'root user.create Bob'])
  })

  it.each([1, 2, 3, 7, 8, 100])(
    'lists each entry once in pages of %i, even while new entries arrive',
    async (limit) => {
      const service = await createMemoryService(UNLIMITED)
      const admin = await asRoot(service)
      for (let count = 1; count < 7; count += 1) {
        service.advance(1000)
        await admin('POST', '/admin/users', { name: `User${count}` })
      }
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page: AuditPage = await read(admin, `?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`)
        expect(page.entries.length).toBeLessThanOrEqual(limit)
        seen.push(...page.entries.map(line))
        cursor = page.nextCursor
        service.advance(1000)
        await admin('POST', '/admin/users/Alex/reset', { type: 'api-key' })
      } while (cursor !== undefined)
      const users = [6, 5, 4, 3, 2, 1].map((count) => `root user.create User${count}`)
      expect(seen).toEqual([...users, 'root login'])
    },
  )
})
