import { HEADERS } from '@fish-crab/sdk/contract'
import { expectCreatedUser } from '../context/accounts.ts'
import { collection, encrypt, post, SHORT, write, writeAndExpectId } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import {
  expectDetails,
  expectError,
  expectErrorForm,
  expectJson,
  expectMoment,
  expectSame,
  expectStatus,
  expectText,
  expectThat,
} from '../context/expect.ts'
import { checksOf } from './check.ts'

async function listPage(context: TestContext, query: string) {
  const response = await context.asSuperadmin('listUsers', { query })
  const { users, nextCursor } = expectJson(response)
  expectThat(Array.isArray(users), 'an array under "users"', typeof users, response)
  return { response, users: users as Record<string, unknown>[], nextCursor }
}

/** Creating and listing users. */
export const adminUsersChecks = checksOf('admin', [
  [
    'user-created',
    'The response to a new user is 201 with its id, name, time and secrets.',
    async (context) => {
      const response = await context.accounts.createUser((await context.superadmin()).token, {
        name: context.accounts.newName(),
      })
      const user = expectCreatedUser(response)
      expectMoment(user.createdAt, '"createdAt"', response)
      const fields = ['apiKey', 'createdAt', 'fernetKey', 'id', 'name', 'password']
      expectSame(Object.keys(expectJson(response, 201)).sort(), fields, 'the fields', response)
    },
  ],
  [
    'user-created-with-password',
    'A user can be created with a password, which is valid immediately.',
    async (context) => {
      const password = `Pass wörd ${context.accounts.newName()}`
      context.redact(password)
      const { token } = await context.superadmin()
      const name = context.accounts.newName()
      expectSame(expectCreatedUser(await context.accounts.createUser(token, { name, password })).name, name, '"name"')
      const bytes = new TextEncoder().encode(`${name}:${password}`)
      const authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`
      expectStatus(await context.request('/get/user/key', { headers: { authorization } }), 200)
    },
  ],
  [
    'user-malformed',
    'A new user without a name, or with a password that is not a string, is 400 invalid_payload with details.',
    async (context) => {
      const { token } = await context.superadmin()
      for (const body of [{}, { name: 5 }, { name: context.accounts.newName(), password: 12345678 }]) {
        expectDetails(await context.accounts.createUser(token, body), 'invalid_payload')
      }
    },
  ],
  [
    'user-exists',
    'A new user with an existing name is 409 user_exists.',
    async (context) => {
      const { name } = await context.user()
      expectError(await context.accounts.createUser((await context.superadmin()).token, { name }), 'user_exists')
    },
  ],
  [
    'user-shown',
    'A user has an id, a name and a time, and no secrets.',
    async (context) => {
      const { id, name, createdAt } = await context.user()
      const response = await context.asSuperadmin('showUser', { params: { name: name.toUpperCase() } })
      expectSame(expectJson(response), { id, name, createdAt }, 'the body', response)
    },
  ],
  [
    'user-shown-unknown',
    'An unknown user is 404 user_not_found for administrators.',
    async (context) => {
      const params = { name: context.accounts.newName() }
      for (const route of ['showUser', 'deleteUser'] as const) {
        expectError(await context.asSuperadmin(route, { params }), 'user_not_found')
      }
    },
  ],
  [
    'users-searched',
    'The list of users can be searched by part of the name and contains no secrets.',
    async (context) => {
      const { id, name, createdAt } = await context.user()
      // A user that does not match the search.
      await context.newUser()
      const { response, users } = await listPage(context, `?search=${name.toUpperCase()}&limit=1000`)
      const listed = users.find((user) => user.id === id)
      expectSame(listed, { id, name, createdAt }, 'the listed user', response)
      const others = users.filter((user) => !String(user.name).toLowerCase().includes(name.toLowerCase()))
      expectSame(others.length, 0, 'the number of users whose names do not match the search', response)
    },
  ],
  [
    'users-paged',
    'The list of users is paged by limit and nextCursor, with each user once.',
    async (context) => {
      await Promise.all([context.user(), context.newUser(), context.newUser()])
      const all = await listPage(context, `?search=${context.accounts.prefix}&limit=1000`)
      const names: unknown[] = []
      let cursor = ''
      for (let page = 0; page <= all.users.length; page += 1) {
        const { users, nextCursor } = await listPage(context, `?search=${context.accounts.prefix}&limit=2${cursor}`)
        expectThat(users.length <= 2, 'at most 2 users on a page', users.length)
        names.push(...users.map(({ name }) => name))
        if (nextCursor === undefined) break
        cursor = `&cursor=${encodeURIComponent(String(nextCursor))}`
      }
      expectSame(
        names,
        all.users.map(({ name }) => name),
        'the names of all pages',
      )
    },
  ],
  [
    'users-invalid-limit',
    'A list of users with limit=0 is 400.',
    async (context) => {
      const response = await context.asSuperadmin('listUsers', { query: '?limit=0' })
      expectStatus(response, 400)
      expectErrorForm(response)
    },
  ],
])

/** Deleting users. */
export const adminUsersDeletedChecks = checksOf('admin', [
  [
    'user-deleted',
    'A deleted user is not found immediately, and its API key is ignored.',
    async (context) => {
      const user = await context.newUser()
      expectStatus(await context.asSuperadmin('deleteUser', { params: { name: user.name } }), 204)
      const read = `/get/fish?name=${user.name}&gamemode=earth`
      expectError(await context.request(read), 'user_not_found')
      expectError(await context.asSuperadmin('showUser', { params: { name: user.name } }), 'user_not_found')
      const headers = { 'x-api-key': user.apiKey }
      await context.anonymous.ensure(1)
      const response = await context.anonymous.send('/status', { headers })
      expectThat(response.headers.has('x-ratelimit-remaining'), 'the request to be counted', 'it was not', response)
    },
  ],
  [
    'user-deleted-with-all-data',
    'A new user with the name of a deleted one has new secrets and none of the old data.',
    async (context) => {
      const { token } = await context.superadmin()
      const user = await context.newUser()
      await writeAndExpectId(context, 'fish', SHORT.fish, { user })
      expectStatus(await context.asSuperadmin('deleteUser', { params: { name: user.name } }), 204)
      const again = expectCreatedUser(await context.accounts.createUser(token, { name: user.name }))
      expectThat(again.fernetKey !== user.fernetKey && again.apiKey !== user.apiKey, 'other keys', 'the same')
      expectThat(again.id !== user.id, 'another id', 'the same')
      expectSame((await collection(context, 'fish', again)).entries, [], 'the fish of the new user')
    },
  ],
])

/** The form of Fernet keys. */
export const adminKeysChecks = checksOf('admin', [
  [
    'keys-fit-both-alphabets',
    'Fernet keys are 32 bytes in base64 without "+ / - _".',
    async (context) => {
      const keys = [await context.user(), await context.newUser(), await context.newUser()].map(
        ({ fernetKey }) => fernetKey,
      )
      for (const name of ['a', 'b']) {
        const user = await context.newUser()
        const response = await context.asSuperadmin('resetUser', {
          params: { name: user.name },
          body: { type: 'fernet' },
        })
        keys.push(user.fernetKey, String(expectJson(response).fernetKey))
        context.redact(String(expectJson(response).fernetKey), name)
      }
      for (const key of keys) {
        context.redact(key)
        expectThat(/^[A-Za-z0-9]{43}=$/.test(key), '43 letters or digits and "="', 'a key of another form')
      }
      expectSame(new Set(keys).size, keys.length, 'the number of different keys')
    },
  ],
])

async function reset(context: TestContext, name: string, type: string, field: string): Promise<string> {
  const response = await context.asSuperadmin('resetUser', { params: { name }, body: { type } })
  const body = expectJson(response)
  expectSame(Object.keys(body), [field], 'the fields', response)
  const secret = expectText(body[field], `"${field}"`, response)
  context.redact(secret)
  return secret
}

/** Resetting secrets of users. */
export const adminResetsChecks = checksOf('admin', [
  [
    'reset-fernet',
    'A new Fernet key is valid immediately, and tokens of the old one are invalid immediately.',
    async (context) => {
      const user = await context.newUser()
      expectStatus(await write(context, 'fish', SHORT.fish, { user }), 201)
      const fernetKey = await reset(context, user.name, 'fernet', 'fernetKey')
      expectThat(fernetKey !== user.fernetKey, 'another key', 'the same')
      expectError(await post(context, 'fish', await encrypt(context, SHORT.fish, user), { user }), 'invalid_token')
      expectStatus(await write(context, 'fish', SHORT.fish, { user: { ...user, fernetKey } }), 201)
    },
  ],
  [
    'reset-fernet-keeps-data',
    'A new Fernet key does not change stored data, and earlier tokens are still recognized as replays.',
    async (context) => {
      const user = await context.newUser()
      const token = await encrypt(context, SHORT.crab, user)
      const { id } = expectJson(await post(context, 'crab', token, { user }), 201)
      await reset(context, user.name, 'fernet', 'fernetKey')
      const response = await post(context, 'crab', token, { user })
      expectSame(expectJson(response, 200).id, id, '"id"', response)
      const read = await context.request(`/get/crab?name=${user.name}&gamemode=earth`)
      expectSame(expectJson(read).crab, [{ name: 'crab' }], 'the crabs', read)
    },
  ],
  [
    'reset-api-key',
    'A new API key bypasses the limit immediately, and the old one is ignored immediately, even if it was used before.',
    async (context) => {
      const user = await context.newUser()
      const isCounted = async (key: string) => {
        await context.anonymous.ensure(1)
        const response = await context.anonymous.send('/status', { headers: { [HEADERS.apiKey]: key } })
        return response.headers.has(HEADERS.rateRemaining)
      }
      expectSame(await isCounted(user.apiKey), false, 'whether a request with the key is counted')
      const apiKey = await reset(context, user.name, 'api-key', 'apiKey')
      expectSame(await isCounted(apiKey), false, 'whether a request with the new key is counted')
      expectSame(await isCounted(user.apiKey), true, 'whether a request with the old key is counted')
    },
  ],
  [
    'reset-password',
    'A new password is valid immediately.',
    async (context) => {
      const user = await context.newUser()
      const password = await reset(context, user.name, 'password', 'password')
      expectThat(password !== user.password, 'another password', 'the same')
      const authorization = `Basic ${btoa(`${user.name}:${password}`)}`
      const response = await context.request('/get/user/key', { headers: { authorization } })
      expectThat(
        expectJson(response).fernetKey === user.fernetKey,
        'the same Fernet key as before',
        'another',
        response,
      )
    },
  ],
  [
    'reset-unknown-type',
    'A reset of an unknown type is 400 invalid_payload with details.',
    async (context) => {
      const { name } = await context.user()
      for (const body of [{ type: 'name' }, {}]) {
        expectDetails(await context.asSuperadmin('resetUser', { params: { name }, body }), 'invalid_payload')
      }
    },
  ],
  [
    'reset-unknown-user',
    'A reset for an unknown user is 404 user_not_found.',
    async (context) => {
      const params = { name: context.accounts.newName() }
      expectError(await context.asSuperadmin('resetUser', { params, body: { type: 'fernet' } }), 'user_not_found')
    },
  ],
])
