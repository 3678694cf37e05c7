import { HEADERS } from '@fish-crab/sdk/contract'
import { expectCreatedUser } from '../context/accounts.ts'
import { collection, encrypt, post, SHORT_PAYLOADS, write, writeAndExpectId } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import { check, checksOf } from './check.ts'

async function listPage(t: TestContext, query: string) {
  const response = await t.asSuperadmin('listUsers', { query })
  return { response, users: expect.list(response, 'users'), nextCursor: expect.json(response).nextCursor }
}

async function isCounted({ anonymous }: TestContext, apiKey: string): Promise<boolean> {
  await anonymous.ensure(1)
  const { headers } = await anonymous.send('/status', { headers: { [HEADERS.apiKey]: apiKey } })
  return headers.has(HEADERS.rateRemaining)
}

export const adminUsersChecks = checksOf('admin', [
  check(
    'user-created',
    'Creating a user responds 201 with id, name, time and secrets; a given password is valid.',
    async (t) => {
      const response = await t.createUser({ name: t.newName() })
      const user = expectCreatedUser(response)
      expect.dateTime(user.createdAt, '"createdAt"', response)
      const fields = ['apiKey', 'createdAt', 'fernetKey', 'id', 'name', 'password']
      expect.same(Object.keys(expect.json(response, 201)).sort(), fields, 'the fields', response)
      const password = `Pass wörd ${t.newName()}`
      t.redact(password)
      const name = t.newName()
      expect.same(expectCreatedUser(await t.createUser({ name, password })).name, name, '"name"')
      expect.status(await t.readKey(name, password), 200)
    },
  ),
  check(
    'user-shown',
    'A user is returned with totals, latest catch and the time of the last key read, without secrets.',
    async (t) => {
      const { id, name, createdAt, password } = await t.newUser()
      const response = await t.asSuperadmin('showUser', { params: { name: name.toUpperCase() } })
      const none = { fish: 0, crab: 0 }
      expect.same(expect.json(response), { id, name, createdAt, totals: none }, 'the body of a new user', response)
      const caughtAt = ['2025-06-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z']
      const body = { crab: caughtAt.map((time) => ({ caughtAt: time })) }
      expect.status(await t.asSuperadmin('addUserCrab', { params: { name }, query: '?gamemode=earth', body }), 201)
      expect.status(await t.readKey(name, password), 200)
      const { totals, lastCatch, lastKeyReadAt } = expect.json(await t.asSuperadmin('showUser', { params: { name } }))
      expect.same(totals, { fish: 0, crab: 2 }, '"totals"')
      expect.same(lastCatch, { at: caughtAt[0], kind: 'crab', gamemode: 'earth' }, '"lastCatch"')
      const { users } = await listPage(t, `?totals=true&search=${name}`)
      const listed = users.find((user) => user.id === id)
      expect.same(listed, { id, name, createdAt, totals, lastCatch }, 'the user in a list with totals')
      expect.dateTime(lastKeyReadAt, '"lastKeyReadAt"')
    },
  ),
  check('users-searched', 'Users can be searched by part of the name; the list has no secrets.', async (t) => {
    const { id, name, createdAt } = await t.user()
    // A user that does not match the search.
    await t.newUser()
    const { response, users } = await listPage(t, `?search=${name.toUpperCase()}&limit=1000`)
    const listed = users.find((user) => user.id === id)
    expect.same(listed, { id, name, createdAt }, 'the listed user', response)
    const others = users.filter((user) => !String(user.name).toLowerCase().includes(name.toLowerCase()))
    expect.same(others.length, 0, 'the number of users whose names do not match the search', response)
  }),
  check('users-paged', 'The list of users is paged by limit and nextCursor, with each user once.', async (t) => {
    await Promise.all([t.user(), t.newUser(), t.newUser(), t.newUser()])
    const all = await listPage(t, `?search=${t.prefix}&limit=1000`)
    const first = await listPage(t, `?search=${t.prefix}&limit=2`)
    const cursor = encodeURIComponent(String(first.nextCursor))
    const rest = await listPage(t, `?search=${t.prefix}&limit=1000&cursor=${cursor}`)
    expect.same(first.users.length, 2, 'the number of users on the first page', first.response)
    expect.same([...first.users, ...rest.users], all.users, 'the users of all pages', rest.response)
    expect.same(rest.nextCursor, undefined, '"nextCursor" of the last page', rest.response)
  }),
  check(
    'user-deleted',
    'Deleting a user removes its data and API key; a new user can have the same name.',
    async (t) => {
      const user = await t.newUser()
      await writeAndExpectId(t, 'fish', SHORT_PAYLOADS.fish, { user })
      expect.status(await t.asSuperadmin('deleteUser', { params: { name: user.name } }), 204)
      expect.error(await t.request(`/get/fish?name=${user.name}&gamemode=earth`), 'user_not_found')
      expect.error(await t.asSuperadmin('showUser', { params: { name: user.name } }), 'user_not_found')
      expect.same(await isCounted(t, user.apiKey), true, 'whether a request with the key is counted')
      const again = expectCreatedUser(await t.createUser({ name: user.name }))
      for (const field of ['id', 'fernetKey', 'apiKey'] as const) {
        expect.that(again[field] !== user[field], `another "${field}"`, 'the same')
      }
      expect.same((await collection(t, 'fish', again)).entries, [], 'the fish of the new user')
    },
  ),
  check('keys-fit-both-alphabets', 'Fernet keys are 32 bytes in base64 without "+ / - _".', async (t) => {
    const users = [await t.newUser(), await t.newUser(), await t.newUser()]
    const keys = users.map(({ fernetKey }) => fernetKey)
    for (const { name } of users) keys.push(await t.reset(name, 'fernet'))
    for (const key of keys) {
      expect.that(/^[A-Za-z0-9]{43}=$/.test(key), '43 letters or digits and "="', 'a key in another form')
    }
    expect.same(new Set(keys).size, keys.length, 'the number of different keys')
  }),
  check('reset-fernet', 'A new Fernet key replaces the old key immediately; the data remains.', async (t) => {
    const user = await t.newUser()
    const token = await encrypt(t, SHORT_PAYLOADS.fish, user)
    const { id } = expect.json(await post(t, 'fish', token, { user }), 201)
    const fernetKey = await t.reset(user.name, 'fernet')
    expect.that(fernetKey !== user.fernetKey, 'another key', 'the same')
    expect.error(await post(t, 'fish', await encrypt(t, SHORT_PAYLOADS.fish, user), { user }), 'invalid_token')
    const replay = await post(t, 'fish', token, { user })
    expect.same(expect.json(replay, 200).id, id, '"id" of the replay', replay)
    expect.status(await write(t, 'fish', SHORT_PAYLOADS.fish, { user: { ...user, fernetKey } }), 201)
    expect.same((await collection(t, 'fish', user)).entries.length, 2, 'the number of fish')
  }),
  check(
    'reset-api-key',
    'A new API key bypasses the rate limit immediately; the old key no longer does.',
    async (t) => {
      const user = await t.newUser()
      expect.same(await isCounted(t, user.apiKey), false, 'whether a request with the key is counted')
      const apiKey = await t.reset(user.name, 'api-key')
      expect.same(await isCounted(t, apiKey), false, 'whether a request with the new key is counted')
      expect.same(await isCounted(t, user.apiKey), true, 'whether a request with the old key is counted')
    },
  ),
])
