import { ROUTES, type RouteName } from '@fish-crab/sdk/contract'
import type { World } from '../context/context.ts'
import { expectDetails, expectError, expectJson, expectStatus } from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import { type AdminRequest, sendAs } from '../context/own-accounts.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

/** Nobody has these names: even an implementation that lets the request through harms nothing. */
const NOBODY = 'conformance-nobody'

const FOR_SUPERADMINS: readonly (readonly [string, RouteName, AdminRequest])[] = [
  ['role-delete-user', 'deleteUser', { params: { name: NOBODY } }],
  ['role-list-admins', 'listAdmins', {}],
  ['role-delete-admin', 'deleteAdmin', { params: { username: NOBODY } }],
]

const FOR_ADMINS: readonly (readonly [string, RouteName, string])[] = [
  ['role-admin-lists-users', 'listUsers', `?search=${NOBODY}`],
  ['role-admin-reads-stats', 'stats', ''],
  ['role-admin-reads-audit', 'audit', '?limit=1'],
  ['role-admin-reads-leaderboard', 'leaderboard', '?type=fish&limit=1'],
]

const LOCKED: readonly (readonly [string, RouteName, Readonly<Record<string, string>>])[] = [
  ['locked-users', 'listUsers', {}],
  ['locked-create-user', 'createUser', {}],
  ['locked-user', 'showUser', { name: NOBODY }],
  ['locked-delete-user', 'deleteUser', { name: NOBODY }],
  ['locked-reset', 'resetUser', { name: NOBODY }],
  ['locked-user-fish', 'listUserFish', { name: NOBODY }],
  ['locked-add-crab', 'addUserCrab', { name: NOBODY }],
  ['locked-delete-fish', 'deleteUserFish', { name: NOBODY, id: 'x' }],
  ['locked-admins', 'listAdmins', {}],
  ['locked-create-admin', 'createAdmin', {}],
  ['locked-stats', 'stats', {}],
  ['locked-leaderboard', 'leaderboard', {}],
  ['locked-audit', 'audit', {}],
]

async function asAdmin(world: World, route: RouteName, request: AdminRequest = {}) {
  return sendAs(world.send, (await world.admin()).token, route, ROUTES[route].method, request)
}

const rows: readonly CheckRow[] = [
  ...LOCKED.map(
    ([id, route, params]): CheckRow => [
      id,
      `${ROUTES[route].method} ${ROUTES[route].path} is 401 without a session.`,
      async ({ send }) => {
        const { method, path } = ROUTES[route]
        const filled = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '')
        expectError(await send(filled, { method }), 'invalid_session')
      },
    ],
  ),
  ...FOR_SUPERADMINS.map(
    ([id, route, request]): CheckRow => [
      id,
      `${ROUTES[route].method} ${ROUTES[route].path} is 403 forbidden for the role admin.`,
      async (world) => void expectError(await asAdmin(world, route, request), 'forbidden'),
    ],
  ),
  [
    'role-create-admin',
    'POST /admin/admins is 403 forbidden for the role admin.',
    async (world) => {
      const { token } = await world.admin()
      const body = { username: world.accounts.newName(), password: 'a-password-of-nobody', role: 'superadmin' }
      expectError(await world.accounts.createAdmin(token, body), 'forbidden')
    },
  ],
  ...FOR_ADMINS.map(
    ([id, route, query]): CheckRow => [
      id,
      `GET ${ROUTES[route].path} is open to the role admin.`,
      async (world) => expectStatus(await asAdmin(world, route, { query }), 200),
    ],
  ),
  [
    'admins-create-list-remove',
    'A superadmin creates an administrator, sees it listed without secrets, and removes it.',
    async (world) => {
      const { token } = await world.superadmin()
      const { username } = await world.accounts.newAdmin(token, 'admin')
      const names = async () => {
        const answer = await world.asSuperadmin('listAdmins')
        const { admins } = expectJson(answer)
        expectThat(Array.isArray(admins), 'an array under "admins"', typeof admins, answer)
        expectThat(!/password|hash/i.test(answer.text), 'nothing of a password', 'something', answer)
        return (admins as { username: string; role: string }[]).filter((admin) => admin.username === username)
      }
      expectSame(
        (await names()).map(({ role }) => role),
        ['admin'],
        'the roles of the listed administrator',
      )
      expectStatus(await world.asSuperadmin('deleteAdmin', { params: { username } }), 204)
      expectSame((await names()).length, 0, 'the number of listed administrators of that name')
    },
  ],
  [
    'admins-name-is-unique',
    'An administrator of a name that is taken is 409.',
    async (world) => {
      const { token, username } = await world.superadmin()
      expectStatus(await world.accounts.createAdmin(token, { username, password: 'another-password' }), 409)
    },
  ],
  [
    'admins-malformed',
    'An administrator of an unknown role, or without a password, is 400 invalid_payload.',
    async (world) => {
      const { token } = await world.superadmin()
      const username = world.accounts.newName()
      for (const more of [{ password: 'a-password-of-nobody', role: 'owner' }, {}]) {
        expectDetails(await world.accounts.createAdmin(token, { username, ...more }), 'invalid_payload')
      }
    },
  ],
  [
    'admins-delete-unknown',
    'The removal of an administrator whom nobody created is 404.',
    async (world) =>
      expectStatus(await world.asSuperadmin('deleteAdmin', { params: { username: world.accounts.newName() } }), 404),
  ],
]

/** Who may do what. */
export const adminRolesChecks = checksOf('admin', rows)
