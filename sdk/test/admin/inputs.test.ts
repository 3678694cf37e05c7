import { ValidationError } from '@fish-crab/sdk'
import { type AdminClient, type AdminClientOptions, createAdminClient } from '@fish-crab/sdk/admin'
import { expect, test } from 'vitest'
import { createService, failureOf, ROOT } from './service.ts'

const EARTH = { gamemode: 'earth' } as const
const MARS = { gamemode: 'Mars' }

function pathsOf(error: unknown): string[] {
  if (!(error instanceof ValidationError)) throw error
  return error.issues.map(({ path }) => path)
}

test.each<[string, string[], (admin: AdminClient) => Promise<unknown>]>([
  ['users.list', ['search', 'limit', 'cursor'], (a) => a.users.list({ search: 'x'.repeat(33), limit: 0, cursor: '' })],
  ['users.iterate', ['limit'], (a) => a.users.iterate({ pageSize: 1001 }).next()],
  ['users.create', ['name', 'password'], (a) => a.users.create({ name: 'no spaces', password: 'short' })],
  ['users.get', ['name'], (a) => a.users.get('..')],
  ['users.delete', ['name'], (a) => a.users.delete('.')],
  ['users.reset', ['name', 'type'], (a) => a.users.reset('', 'all' as 'fernet')],
  ['fish.list', ['name', 'gamemode'], (a) => a.fish.list('a/b', MARS)],
  [
    'fish.add',
    ['name', 'gamemode', 'fish.1.rarity'],
    (a) =>
      a.fish.add(
        '?',
        [
          { name: 'Cod', rarity: 1 },
          { name: 'Koi', rarity: 8 as 7 },
        ],
        MARS,
      ),
  ],
  ['fish.add without fish', ['fish'], (a) => a.fish.add('Alex', [], EARTH)],
  ['crabs.add', ['crab.0.name'], (a) => a.crabs.add('Alex', { name: '' }, EARTH)],
  ['crabs.delete', ['name', 'id', 'gamemode'], (a) => a.crabs.delete('..', '..', MARS)],
  [
    'admins.create',
    ['username', 'password', 'role'],
    (a) => a.admins.create({ username: '-', password: 'x'.repeat(257), role: 'king' as 'admin' }),
  ],
  ['admins.delete', ['username'], (a) => a.admins.delete('..')],
  ['leaderboard', ['type', 'gamemode', 'limit'], (a) => a.leaderboard({ type: 'eel' as 'fish', ...MARS, limit: 1.5 })],
  ['audit.list', ['limit'], (a) => a.audit.list({ limit: -1 })],
  ['keys.get', ['name'], (a) => a.keys.get('..')],
])('%s names every invalid value and sends nothing', async (_, paths, run) => {
  const { admin, sent } = await createService()
  expect(pathsOf(await failureOf(run(admin())))).toEqual(paths)
  expect(sent).toEqual([])
})

test.each<[string, string[], AdminClientOptions]>([
  ['missing credentials', ['username'], {}],
  ['a username without a password', ['password'], { username: 'admin' }],
  ['a password without a username', ['username'], { password: 'a-password' }],
  ['an empty password', ['password'], { username: 'admin', password: '' }],
  ['an invalid username', ['username'], { username: 'a:b', password: 'a-password' }],
  ['a token with a line break', ['token'], { token: 'abc\n' }],
  [
    'options that createClient() also rejects',
    ['baseUrl', 'maxRetries', 'username'],
    { baseUrl: 'fish', maxRetries: -1 },
  ],
])('createAdminClient() rejects %s', (_, paths, options) => {
  expect(pathsOf(thrownBy(() => createAdminClient({ env: {}, ...options })))).toEqual(paths)
})

test('a client with only a token rejects login() and keys.get(), which need a username and a password', async () => {
  const { admin: open, sent } = await createService()
  const admin = open({ token: 'some-token' })
  expect(pathsOf(await failureOf(admin.login()))).toEqual(['username'])
  expect(pathsOf(await failureOf(admin.keys.get('Alex')))).toEqual(['username'])
  expect(sent).toEqual([])
})

test('the admin client reads only FISH_URL from the environment, because the other variables configure a player', async () => {
  const { admin: open, sent } = await createService()
  const env = { FISH_URL: 'http://other.test', FISH_USER: 'no name', FISH_KEY: 'none', FISH_API_KEY: '\n' }
  await open({ ...ROOT, baseUrl: undefined, env }).me()
  expect(sent).toHaveLength(2)
  expect(pathsOf(thrownBy(() => createAdminClient({ ...ROOT, env: { FISH_URL: 'fish' } })))).toEqual(['baseUrl'])
})

function thrownBy(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown.')
}
