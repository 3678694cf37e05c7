import { type AuditEntry, type AuditPage, HEADERS, type Saved } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { type AsAdmin, asRoot, login } from '../administration.ts'
import { expectError } from '../errors.ts'
import { ADDRESS_HEADER, basic, type OpenService, UNLIMITED } from '../test-service.ts'

const PASSWORD = 'a-long-password'

async function read(admin: AsAdmin, query = ''): Promise<AuditPage> {
  const response = await admin('GET', `/admin/audit${query}`)
  expect(response.status).toBe(200)
  return (await response.json()) as AuditPage
}

const line = ({ actor, action, subject }: AuditEntry) => [actor, action, subject ?? ''].join(' ').trim()

/** Who did what, to whom, when and from where. */
export function adminAuditBehaviour(open: OpenService): void {
  describe('the audit log, as administrators read it,', () => {
    it('has every login, key reading and change, newest first, and names people as they are written', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const act = async (status: number, method: string, path: string, body?: unknown) => {
        service.advance(1000)
        const response = await admin(method, path, body)
        expect([path, response.status]).toEqual([path, status])
        return response
      }
      const key = async (authorization: string, query: string) => {
        service.advance(1000)
        const response = await service.request(`/get/user/key${query}`, { headers: { authorization } })
        expect(response.status).toBe(200)
      }
      await act(201, 'POST', '/admin/users', { name: 'Bob' })
      await act(200, 'POST', '/admin/users/BOB/reset', { type: 'password' })
      await act(200, 'POST', '/admin/users/bob/reset', { type: 'fernet' })
      await act(200, 'POST', '/admin/users/bob/reset', { type: 'api-key' })
      for (const [kind, entries] of [
        ['fish', [{ name: 'Cod', rarity: 1 }]],
        ['crab', [{}]],
      ] as const) {
        const added = await act(201, 'POST', `/admin/users/bob/${kind}?gamemode=earth`, { [kind]: entries })
        const { id } = (await added.json()) as Saved
        await act(204, 'DELETE', `/admin/users/bob/${kind}/${id}?gamemode=earth`)
      }
      await key(basic('alex', 'alex-password'), '')
      await key(basic('ROOT', 'root-password'), '?name=ALEX')
      await act(201, 'POST', '/admin/admins', { username: 'Mia', password: PASSWORD })
      service.advance(1000)
      expect((await login(service, 'MIA', PASSWORD)).status).toBe(200)
      await act(204, 'DELETE', '/admin/admins/mIA')
      await act(204, 'DELETE', '/admin/users/BOB')
      const { entries, nextCursor } = await read(admin)
      expect(nextCursor).toBeUndefined()
      expect(entries.map(line)).toEqual([
        'root user.delete Bob',
        'root admin.delete Mia',
        'Mia login',
        'root admin.create Mia',
        'root key.read Alex',
        'Alex key.read Alex',
        'root crab.delete Bob',
        'root crab.add Bob',
        'root fish.delete Bob',
        'root fish.add Bob',
        'root user.reset.api-key Bob',
        'root user.reset.fernet Bob',
        'root user.reset.password Bob',
        'root user.create Bob',
        'root login',
      ])
      const times = entries.map(({ at }) => Date.parse(at))
      expect(times).toEqual(times.toSorted((a, b) => b - a))
      expect(times[0]).toBe(service.now())
      expect(JSON.stringify(entries)).not.toMatch(/a-long-password|root-password|fck_/)
    })

    it('says from where, and under which request id', async () => {
      const service = await open(UNLIMITED)
      const init = {
        headers: {
          authorization: basic('Alex', 'alex-password'),
          [ADDRESS_HEADER]: '2001:db8::7',
          'x-request-id': 'r.1',
        },
      }
      expect((await service.request('/get/user/key', init)).status).toBe(200)
      service.advance(1)
      await login(service, 'root', 'root-password', '198.51.100.9')
      service.advance(1)
      const [, second, first] = (await read(await asRoot(service))).entries
      expect(second).toMatchObject({ actor: 'root', action: 'login', address: '198.51.100.9' })
      expect(first).toMatchObject({ actor: 'Alex', address: '2001:db8::7', requestId: 'r.1' })
    })

    it('has nothing of what is refused for what was asked, nor of what changes nothing', async () => {
      const service = await open(UNLIMITED)
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

    it('has failed logins by the account that was tried, but no name without one: it may be a password', async () => {
      const service = await open(UNLIMITED)
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
        '(unknown name) login.failed',
        'Alex login.failed',
        'root login',
      ])
      expect(entries[0]).toMatchObject({ address: '198.51.100.9', requestId: expect.any(String) })
      expect(JSON.stringify(entries)).not.toMatch(/a-wrong-secret|mY-pAsSw0rd|not a name/i)
    })

    it('has at most 10 failed logins of a client and 100 of all in an hour', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const fail = async (address: string, count: number) => {
        for (let at = 0; at < count; at += 1) await login(service, `User${at}`, 'a-wrong-secret', address)
      }
      await fail('198.51.100.1', 12)
      expect((await read(admin)).entries).toHaveLength(1 + 10)
      for (let client = 2; client < 13; client += 1) await fail(`198.51.100.${client}`, 10)
      expect((await read(admin, '?limit=200')).entries).toHaveLength(1 + 100)
      service.advance(3_600_000)
      await fail('198.51.100.1', 1)
      const again = await asRoot(service)
      expect((await read(again, '?limit=200')).entries).toHaveLength(2 + 101)
    })

    it('loses failed logins to others after a week, and nothing else ever', async () => {
      const service = await open(UNLIMITED)
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

    it.each([1, 2, 3, 7, 8, 100])('is paged by %i, each entry once, also while it grows', async (limit) => {
      const service = await open(UNLIMITED)
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
    })

    it.each([
      'limit=0',
      'limit=1001',
      'limit=x',
      'cursor=',
      'cursor=x',
      'cursor=audit:',
      'cursor=%00',
      'cursor=..',
      `cursor=${'0'.repeat(12)}:${'0'.repeat(36)}`,
    ])('refuses the query %s', async (query) => {
      const admin = await asRoot(await open())
      const { details } = await expectError(await admin('GET', `/admin/audit?${query}`), 'invalid_query')
      expect(details?.map(({ path }) => path)).toEqual([query.split('=')[0]])
    })
  })

  describe('the limit of an administrator', () => {
    it('is 300 requests in 5 minutes, counted down in the headers, whatever the outcome', async () => {
      const service = await open()
      const admin = await asRoot(service)
      const mia = { username: 'Mia', password: PASSWORD }
      const paths = ['me', 'users/nobody', 'audit?limit=0', 'stats']
      const reset = String(service.now() / 1000 + 300)
      expect((await admin('POST', '/admin/admins', mia)).headers.get(HEADERS.rateRemaining)).toBe('299')
      for (let left = 298; left >= 0; left -= 1) {
        const { headers } = await admin('GET', `/admin/${paths[left % paths.length]}`)
        const shown = [HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset].map((name) => headers.get(name))
        expect(shown).toEqual(['300', String(left), reset])
      }
      service.advance(1000)
      const refused = await admin('GET', '/admin/me')
      expect(refused.headers.get(HEADERS.retryAfter)).toBe('299')
      expect(refused.headers.get(HEADERS.rateRemaining)).toBe('0')
      expect(refused.headers.get(HEADERS.rateReset)).toBe(reset)
      await expectError(refused, 'rate_limited')
      await expectError(await (await asRoot(service))('GET', '/admin/me'), 'rate_limited')
      expect((await login(service, 'Mia', PASSWORD)).status).toBe(200)
      service.advance(299_000)
      expect((await admin('GET', '/admin/me')).headers.get(HEADERS.rateRemaining)).toBe('299')
    })
  })
}
