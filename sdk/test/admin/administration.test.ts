import { ConflictError, NotFoundError, PermissionDeniedError } from '@fish-crab/sdk'
import { expect, test } from 'vitest'
import { createService, failureOf, HELPER, ROOT } from './service.ts'

test('me() returns the administrator of the client', async () => {
  const { admin: open } = await createService()
  expect(await open().me()).toMatchObject({ username: ROOT.username, role: 'superadmin' })
  expect(await open(HELPER).me()).toMatchObject({ username: HELPER.username, role: 'admin' })
})

test('superadmins create, list and delete administrators', async () => {
  const { admin: open } = await createService()
  const admin = open()
  const mia = { username: 'mia', password: 'mias-password' }
  expect(await admin.admins.create(mia)).toMatchObject({ username: 'mia', role: 'admin' })
  expect(await admin.admins.create({ ...mia, username: 'sue', role: 'superadmin' })).toMatchObject({
    role: 'superadmin',
  })
  const { admins } = await admin.admins.list()
  expect(admins.map(({ username }) => username)).toEqual(['root', 'helper', 'mia', 'sue'])
  expect((await open(mia).me()).username).toBe('mia')
  await admin.admins.delete('mia')
  expect((await admin.admins.list()).admins).toHaveLength(3)

  const taken = await failureOf(admin.admins.create({ ...mia, username: 'sue' }))
  expect(taken instanceof ConflictError && taken.code).toBe('admin_exists')
  const missing = await failureOf(admin.admins.delete('mia'))
  expect(missing instanceof NotFoundError && missing.code).toBe('admin_not_found')
  await admin.admins.delete('sue')
  const last = await failureOf(admin.admins.delete('root'))
  expect(last instanceof ConflictError && last.code).toBe('last_superadmin')
})

test('calls that require a superadmin reject with PermissionDeniedError for an ordinary administrator, and all other calls succeed', async () => {
  const { admin: open } = await createService()
  const admin = open(HELPER)
  const refused = [
    admin.users.delete('Alex'),
    admin.admins.list(),
    admin.admins.create({ username: 'mia', password: 'mias-password' }),
    admin.admins.delete('root'),
  ]
  for (const error of await Promise.all(refused.map(failureOf))) {
    expect(error instanceof PermissionDeniedError && error.code).toBe('forbidden')
  }
  await admin.users.create({ name: 'Bob' })
  await admin.users.reset('Bob', 'password')
  expect((await admin.users.get('Alex')).name).toBe('Alex')
})

test('stats() and leaderboard() count catches', async () => {
  const admin = (await createService()).admin()
  await admin.users.create({ name: 'Bob' })
  await admin.fish.add(
    'Bob',
    [
      { name: 'Cod', rarity: 1 },
      { name: 'Koi', rarity: 7 },
    ],
    { gamemode: 'earth' },
  )
  await admin.fish.add('Alex', { name: 'Cod', rarity: 1 }, { gamemode: 'survival' })
  await admin.crabs.add('Alex', {}, { gamemode: 'earth' })

  const stats = await admin.stats()
  expect(stats).toMatchObject({ users: 2, fish: { total: 3 }, crab: { total: 1 } })
  expect(stats.fish.byGamemode).toEqual({ oneblock: 0, earth: 2, survival: 1, factions: 0 })
  expect(stats.fish.byRarity).toMatchObject({ Bronze: 2, Mythical: 1, Gold: 0 })
  expect((await admin.leaderboard({ type: 'fish' })).leaderboard).toEqual([
    { name: 'Bob', count: 2 },
    { name: 'Alex', count: 1 },
  ])
  const crabs = await admin.leaderboard({ type: 'crab', gamemode: 'earth', limit: 1 })
  expect(crabs).toMatchObject({ type: 'crab', gamemode: 'earth', leaderboard: [{ name: 'Alex', count: 1 }] })
})

test('the audit log lists the newest entry first, both in pages and in an iteration', async () => {
  const { admin: open, advance } = await createService()
  const admin = open()
  await admin.login()
  for (const name of ['Bea', 'Bob']) {
    advance(1000)
    await admin.users.create({ name })
  }
  const first = await admin.audit.list({ limit: 2 })
  expect(first.entries.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
    ['root', 'user.create', 'Bob'],
    ['root', 'user.create', 'Bea'],
  ])
  const rest = await admin.audit.list({ limit: 2, cursor: first.nextCursor })
  expect(rest.entries.map(({ action }) => action)).toEqual(['login'])
  const actions: string[] = []
  for await (const { action } of admin.audit.iterate({ pageSize: 1 })) actions.push(action)
  expect(actions).toEqual(['user.create', 'user.create', 'login'])
})
