import type { World } from '../context/context.ts'
import {
  expectDetails,
  expectError,
  expectErrorForm,
  expectJson,
  expectMoment,
  expectStatus,
} from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import { createdUser } from '../context/own-accounts.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

async function listPage(world: World, query: string) {
  const answer = await world.asSuperadmin('listUsers', { query })
  const { users, nextCursor } = expectJson(answer)
  expectThat(Array.isArray(users), 'an array under "users"', typeof users, answer)
  return { answer, users: users as Record<string, unknown>[], nextCursor }
}

const rows: readonly CheckRow[] = [
  [
    'user-created',
    'A new user is answered with 201, its id, name, time, and its secrets.',
    async (world) => {
      const answer = await world.accounts.createUser((await world.superadmin()).token, {
        name: world.accounts.newName(),
      })
      const user = createdUser(answer)
      expectMoment(user.createdAt, '"createdAt"', answer)
      const fields = ['apiKey', 'createdAt', 'fernetKey', 'id', 'name', 'password']
      expectSame(Object.keys(expectJson(answer, 201)).sort(), fields, 'the fields', answer)
    },
  ],
  [
    'user-created-with-password',
    'A user may be created with a password, which is good from then on.',
    async (world) => {
      const password = `Pass wörd ${world.accounts.newName()}`
      world.keep(password)
      const { token } = await world.superadmin()
      const name = world.accounts.newName()
      expectSame(createdUser(await world.accounts.createUser(token, { name, password })).name, name, '"name"')
      const bytes = new TextEncoder().encode(`${name}:${password}`)
      const authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`
      expectStatus(await world.request('/get/user/key', { headers: { authorization } }), 200)
    },
  ],
  [
    'user-malformed',
    'A user without a name, or with a password that is no text, is 400 invalid_payload with details.',
    async (world) => {
      const { token } = await world.superadmin()
      for (const body of [{}, { name: 5 }, { name: world.accounts.newName(), password: 12345678 }]) {
        expectDetails(await world.accounts.createUser(token, body), 'invalid_payload')
      }
    },
  ],
  [
    'user-exists',
    'A user of a name that is taken is 409 user_exists.',
    async (world) => {
      const { name } = await world.user()
      expectError(await world.accounts.createUser((await world.superadmin()).token, { name }), 'user_exists')
    },
  ],
  [
    'user-shown',
    'A user is shown with id, name and time, and without any secret.',
    async (world) => {
      const { id, name, createdAt } = await world.user()
      const answer = await world.asSuperadmin('showUser', { params: { name: name.toUpperCase() } })
      expectSame(expectJson(answer), { id, name, createdAt }, 'the body', answer)
    },
  ],
  [
    'user-shown-unknown',
    'A user whom nobody created is 404 user_not_found for administrators.',
    async (world) => {
      const params = { name: world.accounts.newName() }
      for (const route of ['showUser', 'deleteUser'] as const) {
        expectError(await world.asSuperadmin(route, { params }), 'user_not_found')
      }
    },
  ],
  [
    'users-searched',
    'The list of users is searched by a part of the name, and shows no secret.',
    async (world) => {
      const { id, name, createdAt } = await world.user()
      // Somebody who must not be found.
      await world.newUser()
      const { answer, users } = await listPage(world, `?search=${name.toUpperCase()}&limit=1000`)
      const found = users.find((user) => user.id === id)
      expectSame(found, { id, name, createdAt }, 'the listed user', answer)
      const others = users.filter((user) => !String(user.name).toLowerCase().includes(name.toLowerCase()))
      expectSame(others.length, 0, 'the number of users whose names do not hold what was searched', answer)
    },
  ],
  [
    'users-paged',
    'The list of users is paged by limit and nextCursor, each user once.',
    async (world) => {
      await Promise.all([world.user(), world.newUser(), world.newUser()])
      const all = await listPage(world, `?search=${world.accounts.prefix}&limit=1000`)
      const names: unknown[] = []
      let cursor = ''
      for (let page = 0; page <= all.users.length; page += 1) {
        const { users, nextCursor } = await listPage(world, `?search=${world.accounts.prefix}&limit=2${cursor}`)
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
    async (world) => {
      const answer = await world.asSuperadmin('listUsers', { query: '?limit=0' })
      expectStatus(answer, 400)
      expectErrorForm(answer)
    },
  ],
]

/** The users, as administrators see them. */
export const adminUsersChecks = checksOf('admin', rows)
