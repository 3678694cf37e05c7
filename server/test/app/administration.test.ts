import {
  type AuditPage,
  createdUserSchema,
  type Leaderboard,
  type Saved,
  userDetailsSchema,
  userListSchema,
} from '@fish-crab/sdk/contract'
import { createScryptHasher } from '@fish-crab/server'
import { createMemoryStorage } from '@fish-crab/server/app'
import { describe, expect, it, test } from 'vitest'
import { newRecord } from '../storage-suite/samples.ts'
import { type AsAdmin, asRoot, create, list, login, names } from './administration.ts'
import { listed } from './catches.ts'
import { expectError } from './errors.ts'
import { createFailingStorage } from './failing-storage.ts'
import { createMemoryService } from './memory-service.ts'
import { basic, UNLIMITED } from './test-service.ts'

describe('a password that is not Unicode text', () => {
  it.each(['\ud800', '\udfff', '\ufffd\ud800'])(
    'never matches, even if the stored password has the same UTF-8 bytes: %j',
    async (half) => {
      const passwords = createScryptHasher({ N: 16, r: 1, p: 1 })
      const service = await createMemoryService({ ...UNLIMITED, passwords })
      const password = 'half a fish \ufffd'.padEnd(12 + half.length, '\ufffd')
      await service.app.admins.create('mia', password, 'admin')
      await expectError(await login(service, 'mia', `half a fish ${half}`), 'invalid_credentials')
      expect((await login(service, 'mia', password)).status).toBe(200)
    },
  )

  it('counts as a failed login', async () => {
    const service = await createMemoryService(UNLIMITED)
    for (let count = 0; count < 10; count += 1) {
      await expectError(await login(service, 'root', `half ${count} \ud800`), 'invalid_credentials')
    }
    await expectError(await login(service, 'root', 'half \ud800'), 'rate_limited')
  })
})

describe('a change that cannot be recorded in the audit log', () => {
  it.each([
    ['POST', '/admin/users', { name: 'Bob' }],
    ['DELETE', '/admin/users/Alex', undefined],
    ['POST', '/admin/users/Alex/reset', { type: 'fernet' }],
    ['POST', '/admin/users/Alex/fish?gamemode=earth', { fish: [{ name: 'Cod', rarity: 1 }] }],
    ['POST', '/admin/users/Alex/crab?gamemode=earth', { crab: [{}] }],
    ['DELETE', '/admin/users/Alex/fish/ID?gamemode=earth', undefined],
    ['POST', '/admin/admins', { username: 'Mia', password: 'a-long-password' }],
    ['DELETE', '/admin/admins/Sue', undefined],
  ])('is not made: %s %s', async (method, path, body) => {
    const { storage, failAt } = createFailingStorage()
    const service = await createMemoryService({ ...UNLIMITED, storage })
    const admin = await asRoot(service)
    await service.app.admins.create('Sue', 'a-long-password', 'superadmin')
    await admin('POST', '/admin/users/Alex/fish?gamemode=earth', { fish: [{ name: 'Koi', rarity: 2 }] })
    const [first] = await listed(service, 'fish', '&gamemode=earth&detail=full')
    const state = async () => ({
      users: await (await admin('GET', '/admin/users')).json(),
      admins: await (await admin('GET', '/admin/admins')).json(),
      stats: await (await admin('GET', '/admin/stats')).json(),
      secret: await storage.items.getItem(`secret:${service.alex.id}:fernet`),
    })
    const before = await state()
    failAt(/^(items\.setItem|replaceItemIf) audit:/)
    await expectError(await admin(method, path.replace('ID', first?.id ?? ''), body), 'storage_error')
    failAt()
    expect(await state()).toEqual(before)
    const again = await admin(method, path.replace('ID', first?.id ?? ''), body)
    expect(again.status).toBeLessThan(300)
    expect(await state()).not.toEqual(before)
  })
})

test('a leaderboard reads at most 40 names from the storage concurrently', async () => {
  const storage = createMemoryStorage()
  let [running, most] = [0, 0]
  const getItem = async (key: string) => {
    running += 1
    most = Math.max(most, running)
    await Promise.resolve()
    running -= 1
    return storage.items.getItem(key)
  }
  const service = await createMemoryService({ storage: { ...storage, items: { ...storage.items, getItem } } })
  for (let index = 0; index < 200; index += 1) {
    await storage.append({ owner: `owner-${index}`, kind: 'fish', gamemode: 'earth' }, newRecord({ id: `${index}` }))
    const user = { id: `owner-${index}`, name: `Player${index}`, createdAt: '2026-01-01T00:00:00.000Z' }
    await storage.items.setItem(`user-name:${user.id}`, user.name)
    await storage.items.setItem(`user:${user.name.toLowerCase()}`, JSON.stringify(user))
  }
  const admin = await asRoot(service)
  most = 0
  const response = await admin('GET', '/admin/leaderboard?type=fish&limit=200')
  expect(((await response.json()) as Leaderboard).leaderboard).toHaveLength(200)
  expect(most).toBeLessThanOrEqual(40)
})

async function add(admin: AsAdmin, name: string, count: number, gamemode = 'earth', kind = 'fish'): Promise<string> {
  const entries = Array.from({ length: count }, () => ({ name: 'x', ...(kind === 'fish' ? { rarity: 1 } : {}) }))
  const response = await admin('POST', `/admin/users/${name}/${kind}?gamemode=${gamemode}`, { [kind]: entries })
  expect(response.status).toBe(201)
  return ((await response.json()) as { id: string }).id
}

async function createUsers(admin: AsAdmin, names: readonly string[]): Promise<void> {
  for (const name of names) expect((await admin('POST', '/admin/users', { name })).status).toBe(201)
}

async function board(admin: AsAdmin, query = 'type=fish'): Promise<string[]> {
  const response = await admin('GET', `/admin/leaderboard?${query}`)
  expect(response.status).toBe(200)
  const { leaderboard } = (await response.json()) as { leaderboard: { name: string; count: number }[] }
  return leaderboard.map(({ name, count }) => `${name} ${count}`)
}

describe('the leaderboard', () => {
  it('lists the requested number of players (default 10), and lists tied players in a stable order', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    const names = Array.from({ length: 12 }, (_, index) => `User${index}`)
    for (const name of names) {
      service.advance(1)
      await createUsers(admin, [name])
    }
    for (const name of names.toReversed()) await add(admin, name, 2)
    await add(admin, 'Alex', 1)
    const tied = names.map((name) => `${name} 2`)
    expect(await board(admin)).toEqual(tied.slice(0, 10))
    expect(await board(admin, 'type=fish&limit=1')).toEqual(tied.slice(0, 1))
    expect(await board(admin, 'type=fish&gamemode=earth&limit=3')).toEqual(tied.slice(0, 3))
    expect(await board(admin, 'type=fish&limit=1000')).toEqual([...tied, 'Alex 1'])
  })
})

describe('the details of a user', () => {
  it('contain the number of catches in all gamemodes, the latest catch, and the last time the key was read', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    const user = async () => userDetailsSchema.parse(await (await admin('GET', '/admin/users/alex')).json())
    const { id, name, createdAt } = service.alex
    expect(await user()).toEqual({ id, name, createdAt, totals: { fish: 0, crab: 0 } })
    const add = (gamemode: string, caughtAt: string) =>
      admin('POST', `/admin/users/Alex/crab?gamemode=${gamemode}`, { crab: [{ caughtAt }] })
    await add('earth', '2025-01-01T00:00:00.000Z')
    const saved = (await (await add('survival', '2025-06-01T00:00:00.000Z')).json()) as Saved
    expect(await user()).toEqual({
      id,
      name,
      createdAt,
      totals: { fish: 0, crab: 2 },
      lastCatch: { at: '2025-06-01T00:00:00.000Z', kind: 'crab', gamemode: 'survival' },
    })
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
      totals: { fish: 0, crab: 1 },
      lastCatch: { at: '2025-01-01T00:00:00.000Z', kind: 'crab', gamemode: 'earth' },
      lastKeyReadAt: new Date(service.now() - 10_000).toISOString(),
    })
  })
})

describe('a list of users with totals', () => {
  it('shows at most 50 players per page, each with the number of catches and the latest catch', async () => {
    const admin = await asRoot(await createMemoryService(UNLIMITED))
    const names = Array.from({ length: 60 }, (_, index) => `User${index + 10}`)
    await createUsers(admin, names)
    await add(admin, 'User10', 3)
    await add(admin, 'User10', 2, 'factions', 'crab')
    const read = async (query: string) =>
      userListSchema.parse(await (await admin('GET', `/admin/users?${query}`)).json())
    const { users, nextCursor } = await read('totals=true&search=user')
    expect(users).toHaveLength(50)
    expect(users[0]).toMatchObject({ name: 'User10', totals: { fish: 3, crab: 2 }, lastCatch: { gamemode: 'earth' } })
    expect(users[1]?.totals).toEqual({ fish: 0, crab: 0 })
    expect(users[1]).not.toHaveProperty('lastCatch')
    const rest = await read(`totals=true&search=user&cursor=${encodeURIComponent(nextCursor ?? '')}`)
    expect([...users, ...rest.users].map(({ name }) => name)).toEqual(names)
    expect((await read('search=user10')).users[0]).not.toHaveProperty('totals')
  })
})

describe('the audit log of changed catches', () => {
  it('records the numbers of added, moved and removed catches', async () => {
    const service = await createMemoryService(UNLIMITED)
    const admin = await asRoot(service)
    // Entries with the same timestamp have no defined order.
    service.advance(1)
    const id = await add(admin, 'Alex', 3)
    for (let repeated = 0; repeated < 2; repeated += 1) {
      service.advance(1)
      await admin('POST', `/admin/users/Alex/fish/${id}/move?gamemode=earth`, { gamemode: 'factions' })
    }
    service.advance(1)
    await admin('DELETE', `/admin/users/Alex/fish/${id}?gamemode=factions`)
    const { entries } = (await (await admin('GET', '/admin/audit?limit=3')).json()) as AuditPage
    expect(entries.map(({ action, gamemode, movedTo, catches }) => [action, gamemode, movedTo, catches])).toEqual([
      ['fish.delete', 'factions', undefined, 3],
      ['fish.move', 'earth', 'factions', 3],
      ['fish.add', 'earth', undefined, 3],
    ])
  })
})

describe('a user that an administrator creates', () => {
  it('has the given password, and keys that the server generated', async () => {
    const service = await createMemoryService(UNLIMITED)
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

  it('is created once by ten concurrent requests, with the secrets in the successful response', async () => {
    const service = await createMemoryService(UNLIMITED)
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
  it('finds users by any literal part of the name, in any letter case', async () => {
    const admin = await asRoot(await createMemoryService())
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
})
