import { HEADERS } from '@fish-crab/sdk/contract'
import { auditPage, type Entry, expectRecorded, recorded } from '../context/audit-log.ts'
import { SHORT, written } from '../context/catches.ts'
import { expectErrorForm, expectJson, expectMoment, expectStatus } from '../context/expect-answer.ts'
import { expectSame, expectThat } from '../context/expectation.ts'
import { type CheckRow, checksOf } from '../runner/check.ts'

const rows: readonly CheckRow[] = [
  [
    'audit-login',
    'A login is on record: who, when, from where.',
    async (world) => {
      const { token } = await world.superadmin()
      const { username } = await world.accounts.newAdmin(token, 'admin')
      const isLogin = ({ action, actor }: Entry) => action === 'login' && actor === username
      const [entry] = await recorded(world, isLogin, (found) => found.length > 0)
      expectThat(entry !== undefined, '"login" of the new administrator in the audit log', 'none')
      expectMoment(entry.at, '"at"')
    },
  ],
  [
    'audit-user-changes',
    'The creation of a user, its resets and its removal are on record, with who did it.',
    async (world) => {
      const { username } = await world.superadmin()
      const { name } = await world.newUser()
      for (const type of ['password', 'fernet', 'api-key']) {
        const answer = await world.asSuperadmin('resetUser', { params: { name }, body: { type } })
        for (const secret of Object.values(expectJson(answer))) world.keep(String(secret))
      }
      expectStatus(await world.asSuperadmin('deleteUser', { params: { name } }), 204)
      const resets = ['user.reset.password', 'user.reset.fernet', 'user.reset.api-key']
      await expectRecorded(world, name, username, 'user.create', ...resets, 'user.delete')
    },
  ],
  [
    'audit-catches',
    'What an administrator adds to a collection and removes from it is on record.',
    async (world) => {
      const { username } = await world.superadmin()
      const { name } = await world.newUser()
      const query = '?gamemode=earth'
      const added = await world.asSuperadmin('addUserCrab', { params: { name }, query, body: { crab: [{}] } })
      const id = String(expectJson(added, 201).id)
      expectStatus(await world.asSuperadmin('deleteUserCrab', { params: { name, id }, query }), 204)
      await expectRecorded(world, name, username, 'crab.add', 'crab.delete')
    },
  ],
  [
    'audit-key-read-by-owner',
    "A player's reading of the own key is on record, with the id of the request.",
    async (world) => {
      const user = await world.newUser()
      const requestId = `conformance-${user.id}`.slice(0, 64).replace(/[^A-Za-z0-9._-]/g, '.')
      const authorization = `Basic ${btoa(`${user.name}:${user.password}`)}`
      const headers = { authorization, [HEADERS.requestId]: requestId }
      expectStatus(await world.request('/get/user/key', { headers }), 200)
      const own = await expectRecorded(world, user.name, user.name, 'key.read')
      const entry = own.find(({ action }) => action === 'key.read')
      expectSame(entry?.requestId, requestId, '"requestId" of the entry')
    },
  ],
  [
    'audit-key-read-by-administrator',
    "An administrator's reading of a key is on record.",
    async (world) => {
      const { username, password } = await world.superadmin()
      const { name } = await world.newUser()
      const authorization = `Basic ${btoa(`${username}:${password}`)}`
      expectStatus(await world.request(`/get/user/key?name=${name}`, { headers: { authorization } }), 200)
      await expectRecorded(world, name, username, 'key.read')
    },
  ],
  [
    'audit-admin-changes',
    'The creation and the removal of an administrator are on record.',
    async (world) => {
      const { username: actor, token } = await world.superadmin()
      const { username } = await world.accounts.newAdmin(token, 'admin')
      expectStatus(await world.asSuperadmin('deleteAdmin', { params: { username } }), 204)
      await expectRecorded(world, username, actor, 'admin.create', 'admin.delete')
    },
  ],
  [
    'audit-newest-first',
    'The audit log is newest first, and paged by limit and nextCursor.',
    async (world) => {
      await written(world, 'fish', SHORT.fish)
      await world.newUser()
      const first = await auditPage(world, '?limit=2')
      expectSame(first.entries.length, 2, 'the number of entries', first.answer)
      const cursor = encodeURIComponent(String(first.nextCursor))
      const second = await auditPage(world, `?limit=2&cursor=${cursor}`)
      const times = [...first.entries, ...second.entries].map(({ at }) => Date.parse(at))
      expectThat(times.length === 4, '4 entries on two pages', times.length, second.answer)
      const isOrdered = times.every((time, index) => index === 0 || time <= (times[index - 1] ?? 0))
      expectThat(isOrdered, 'entries newest first', 'another order', second.answer)
      const ids = [...first.entries, ...second.entries].map(({ requestId, action }) => `${requestId} ${action}`)
      expectSame(new Set(ids).size, 4, 'the number of different entries', second.answer)
    },
  ],
  [
    'audit-invalid-limit',
    'An audit log with limit=0 is 400.',
    async (world) => {
      const answer = await world.asSuperadmin('audit', { query: '?limit=0' })
      expectStatus(answer, 400)
      expectErrorForm(answer)
    },
  ],
]

/** What is on record. */
export const adminAuditChecks = checksOf('admin', rows)
