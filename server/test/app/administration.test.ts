import type { Leaderboard, Session } from '@fish-crab/sdk/contract'
import { createScryptHasher } from '@fish-crab/server'
import { createMemoryStorage } from '@fish-crab/server/app'
import { describe, expect, it, test } from 'vitest'
import { asRoot, login, withSession } from './administration.ts'
import { adminAccountsBehaviour } from './behaviour/admin-accounts.ts'
import { adminAuditBehaviour } from './behaviour/admin-audit.ts'
import { adminCatchesBehaviour } from './behaviour/admin-catches.ts'
import { lastSuperadminBehaviour } from './behaviour/admin-last-superadmin.ts'
import { adminLeaderboardBehaviour } from './behaviour/admin-leaderboard.ts'
import { adminRemovalBehaviour } from './behaviour/admin-removal.ts'
import { adminTalliesBehaviour } from './behaviour/admin-tallies.ts'
import { listed } from './catches.ts'
import { expectError } from './errors.ts'
import { createFailingStorage } from './failing-storage.ts'
import { createMemoryService, plainPasswords } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

adminAccountsBehaviour(createMemoryService)
adminAuditBehaviour(createMemoryService)
adminCatchesBehaviour(createMemoryService)
lastSuperadminBehaviour(createMemoryService)
adminLeaderboardBehaviour(createMemoryService)
adminRemovalBehaviour(createMemoryService)
adminTalliesBehaviour(createMemoryService)

describe('a password that is no Unicode text', () => {
  it.each(['\ud800', '\udfff', '\ufffd\ud800'])('fits none, also none of the same UTF-8: %j', async (half) => {
    const passwords = createScryptHasher({ N: 16, r: 1, p: 1 })
    const service = await createMemoryService({ ...UNLIMITED, passwords })
    const password = 'half a fish \ufffd'.padEnd(12 + half.length, '\ufffd')
    await service.app.admins.create('mia', password, 'admin')
    await expectError(await login(service, 'mia', `half a fish ${half}`), 'invalid_credentials')
    expect((await login(service, 'mia', password)).status).toBe(200)
  })

  it('is counted as a failed one', async () => {
    const service = await createMemoryService(UNLIMITED)
    for (let count = 0; count < 10; count += 1) {
      await expectError(await login(service, 'root', `half ${count} \ud800`), 'invalid_credentials')
    }
    await expectError(await login(service, 'root', 'half \ud800'), 'rate_limited')
  })
})

describe('a change that cannot be put on record', () => {
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
    failAt(/^items\.setItem audit:/)
    await expectError(await admin(method, path.replace('ID', first?.id ?? ''), body), 'storage_error')
    failAt()
    expect(await state()).toEqual(before)
    const again = await admin(method, path.replace('ID', first?.id ?? ''), body)
    expect(again.status).toBeLessThan(300)
    expect(await state()).not.toEqual(before)
  })
})

test('an administrator who is removed while a password is hashed changes nothing with it', async () => {
  let onHash = async () => {}
  const hash = async (password: string) => {
    if (!password.startsWith('a password that')) await onHash()
    return plainPasswords.hash(password)
  }
  const service = await createMemoryService({ passwords: { ...plainPasswords, hash } })
  const password = 'of the clerk'
  const before = await service.storage.items.getItem(`secret:${service.alex.id}:password`)
  for (const [path, body] of [
    ['/admin/users', { name: 'New' }],
    ['/admin/users/Alex/reset', { type: 'password' }],
  ] as const) {
    onHash = async () => {}
    await service.app.admins.create('clerk', password, 'admin')
    const { token } = (await (await login(service, 'clerk', password)).json()) as Session
    onHash = async () => void (await (await asRoot(service))('DELETE', '/admin/admins/clerk'))
    await expectError(await withSession(service, token)('POST', path, body), 'invalid_session')
  }
  expect(await service.storage.items.getItem('user:new')).toBeNull()
  expect(await service.storage.items.getItem(`secret:${service.alex.id}:password`)).toBe(before)
})

test('a leaderboard asks the storage for few names at once', async () => {
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
  const record = { dedupeKey: null, count: 1, labels: {}, plain: '{}', full: '{}' }
  for (let index = 0; index < 200; index += 1) {
    await storage.append({ owner: `owner-${index}`, kind: 'fish', gamemode: 'earth' }, { ...record, id: `${index}` })
    await storage.items.setItem(`user-name:owner-${index}`, `Player${index}`)
  }
  const admin = await asRoot(service)
  most = 0
  const response = await admin('GET', '/admin/leaderboard?type=fish&limit=200')
  expect(((await response.json()) as Leaderboard).leaderboard).toHaveLength(200)
  expect(most).toBeLessThanOrEqual(40)
})
