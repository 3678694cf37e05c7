import { createdUserSchema, HEADERS, type Saved, type UserList, userDetailsSchema } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import { describe, expect, it } from 'vitest'
import { asRoot, create, list, names } from '../administration.ts'
import { post, SALMON } from '../catches.ts'
import { expectError } from '../errors.ts'
import { basic, type OpenService, UNLIMITED } from '../test-service.ts'

/** What administrators do with users. */
export function adminUsersBehaviour(open: OpenService): void {
  describe('a user that an administrator looks at', () => {
    it('shows when it last caught something, in any gamemode, and when its key was last read', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const user = async () => userDetailsSchema.parse(await (await admin('GET', '/admin/users/alex')).json())
      const { id, name, createdAt } = service.alex
      expect(await user()).toEqual({ id, name, createdAt })
      const add = (gamemode: string, caughtAt: string) =>
        admin('POST', `/admin/users/Alex/crab?gamemode=${gamemode}`, { crab: [{ caughtAt }] })
      await add('earth', '2025-01-01T00:00:00.000Z')
      const saved = (await (await add('survival', '2025-06-01T00:00:00.000Z')).json()) as Saved
      expect(await user()).toEqual({ id, name, createdAt, lastCatchAt: '2025-06-01T00:00:00.000Z' })
      await admin('DELETE', `/admin/users/Alex/crab/${saved.id}?gamemode=survival`)
      service.advance(5000)
      for (const authorization of [basic('Alex', 'alex-password'), basic('Alex', 'wrong')]) {
        await service.request('/get/user/key', { headers: { authorization } })
        service.advance(5000)
      }
      expect(await user()).toEqual({
        id,
        name,
        createdAt,
        lastCatchAt: '2025-01-01T00:00:00.000Z',
        lastKeyReadAt: new Date(service.now() - 10_000).toISOString(),
      })
    })
  })

  describe('a user that an administrator creates', () => {
    it('comes with secrets that all work at once', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const response = await admin('POST', '/admin/users', { name: 'Bob' })
      expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store'])
      const bob = createdUserSchema.parse(await response.json())
      expect(bob).toMatchObject({ name: 'Bob', createdAt: new Date(service.now()).toISOString() })
      expect(bob.fernetKey).toMatch(/^[A-Za-z0-9]{43}=$/)
      const headers = { authorization: basic('bob', bob.password) }
      expect(await (await service.request('/get/user/key', { headers })).json()).toEqual({ fernetKey: bob.fernetKey })
      const token = await createFernet(bob.fernetKey).encrypt(JSON.stringify(SALMON))
      const apiKey = { [HEADERS.apiKey]: bob.apiKey }
      const saved = await post(service, 'fish', token, { query: '', headers: apiKey })
      expect(await saved.json()).toMatchObject({ message: 'Fish saved for user Bob' })
    })

    it('has the password it was given, but no key that anyone but the server chose', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const wish = {
        name: 'Bob',
        password: 'tr0ub4dor',
        fernetKey: service.alex.fernetKey,
        apiKey: 'x',
        id: service.alex.id,
      }
      const bob = createdUserSchema.parse(await (await admin('POST', '/admin/users', wish)).json())
      expect(bob.password).toBe('tr0ub4dor')
      for (const field of ['fernetKey', 'apiKey', 'id'] as const) expect(bob[field]).not.toBe(wish[field])
    })

    it.each(['a', 'a'.repeat(32), '0', '_x', '.x', '*', '*Bedrock-User', 'A-', '...'])(
      'may be named %s',
      async (name) => {
        const service = await open(UNLIMITED)
        const admin = await asRoot(service)
        expect(await create(admin, name)).toMatchObject({ name })
        const found = await service.request(`/get/fish?name=${encodeURIComponent(name.toUpperCase())}&gamemode=earth`)
        expect(await found.json()).toEqual({ user: name, fish: [] })
        expect((await admin('DELETE', `/admin/users/${encodeURIComponent(name)}`)).status).toBe(204)
      },
    )

    it.each(['', '-a', 'a'.repeat(33), 'a b', 'a\n', 'ä', 'a/b', 'a?', 'a:b', '.', '..', 'a\0', 5, null, ['a']])(
      'may not be named %j',
      async (name) => {
        const admin = await asRoot(await open())
        const { details } = await expectError(await admin('POST', '/admin/users', { name }), 'invalid_payload')
        expect(details?.[0]?.path).toBe('name')
      },
    )

    it.each(['short77', '', 'x'.repeat(257), 'half \ud83d a fish', 5, null])(
      'may not have the password %j',
      async (password) => {
        const admin = await asRoot(await open())
        const { details } = await expectError(
          await admin('POST', '/admin/users', { name: 'Bob', password }),
          'invalid_payload',
        )
        expect(details?.map(({ path }) => path)).toEqual(['password'])
        expect(names(await list(admin))).toEqual(['Alex'])
      },
    )

    it.each(['Alex', 'alex', 'ALEX'])('may not take a name that is taken, as %s', async (name) => {
      const service = await open()
      const admin = await asRoot(service)
      await expectError(await admin('POST', '/admin/users', { name }), 'user_exists')
      const headers = { authorization: basic('Alex', 'alex-password') }
      expect(await (await service.request('/get/user/key', { headers })).json()).toEqual({
        fernetKey: service.alex.fernetKey,
      })
    })

    it('is one when ten create it at once, and its secrets are those of the one that did', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const responses = await Promise.all(
        Array.from({ length: 10 }, (_, turn) => admin('POST', '/admin/users', { name: turn % 2 ? 'Bob' : 'BOB' })),
      )
      const created = responses.filter(({ status }) => status === 201)
      expect(created).toHaveLength(1)
      expect(responses.filter(({ status }) => status === 409)).toHaveLength(9)
      const bob = createdUserSchema.parse(await created[0]?.json())
      const headers = { authorization: basic('bob', bob.password) }
      expect(await (await service.request('/get/user/key', { headers })).json()).toEqual({ fernetKey: bob.fernetKey })
    })
  })

  describe('the list of users', () => {
    it('shows id, name and creation, and no secret', async () => {
      const service = await open()
      const { id, name, createdAt } = service.alex
      expect(await list(await asRoot(service))).toEqual({ users: [{ id, name, createdAt }] })
    })

    it('is searched by any part of the name in any letter case, to the letter', async () => {
      const admin = await asRoot(await open())
      for (const name of ['Alexa', 'Malex', 'Bob', 'b.b', 'b_b', '*Bob', 'a-a']) await create(admin, name)
      const found = async (search: string) => names(await list(admin, `?search=${encodeURIComponent(search)}`)).sort()
      expect(await found('ALEX')).toEqual(['Alex', 'Alexa', 'Malex'])
      expect(await found('b.b')).toEqual(['b.b'])
      expect(await found('*')).toEqual(['*Bob'])
      expect(await found('_')).toEqual(['b_b'])
      for (const nothing of ['aa', '%', 'p', 'user', ':', '%AACO', ' ', '\0', 'é', '^b']) {
        expect([nothing, await found(nothing)]).toEqual([nothing, []])
      }
      expect(await found('')).toHaveLength(8)
    })

    it('is paged by limit and cursor, each user once', async () => {
      const admin = await asRoot(await open())
      for (let index = 0; index < 9; index += 1) await create(admin, `User${index}.x`)
      for (const limit of [1, 2, 3, 9, 10, 11]) {
        const all: string[] = []
        let cursor: string | undefined = ''
        while (cursor !== undefined) {
          const page: UserList = await list(
            admin,
            `?limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
          )
          expect(page.users.length).toBeLessThanOrEqual(limit)
          all.push(...names(page))
          cursor = page.nextCursor
        }
        expect([...new Set(all)]).toHaveLength(10)
        expect(all).toHaveLength(10)
      }
      const searched = await list(admin, '?search=user&limit=5')
      expect(searched.users).toHaveLength(5)
      expect((await list(admin, `?search=user&limit=5&cursor=${searched.nextCursor}`)).users).toHaveLength(4)
    })

    it.each([
      'limit=0',
      'limit=1001',
      'limit=x',
      'limit=1e2',
      'limit=1&limit=2',
      'search=a&search=b',
      'cursor=',
      `search=${'x'.repeat(33)}`,
    ])('refuses the query %s', async (query) => {
      const admin = await asRoot(await open())
      const { details } = await expectError(await admin('GET', `/admin/users?${query}`), 'invalid_query')
      expect(details?.map(({ path }) => path)).toEqual([query.split('=')[0]])
    })

    it.each(['%00', '%ff', ':', '%2F', '💀', '..', 'x', 'alex', 'alex~', '~', '~1', 'alex~1', 'x'.repeat(512)])(
      'refuses the made-up cursor %s',
      async (cursor) => {
        const admin = await asRoot(await open())
        const { details } = await expectError(await admin('GET', `/admin/users?cursor=${cursor}`), 'invalid_query')
        expect(details?.map(({ path }) => path)).toEqual(['cursor'])
      },
    )
  })
}
