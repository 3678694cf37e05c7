import { HEADERS } from '@fish-crab/sdk/contract'
import { basic } from '../context/accounts.ts'
import { SHORT_PAYLOADS, writeAndExpectId } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import {
  expectBadRequest,
  expectDateTime,
  expectJson,
  expectList,
  expectSame,
  expectStatus,
  expectThat,
} from '../context/expect.ts'
import { check, checksOf } from './check.ts'

/** An entry of the audit log. */
interface AuditEntry {
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly subject?: string
  readonly address: string
  readonly requestId: string
}

const PAGE = 100
const MAX_PAGES = 10

async function auditPage(t: TestContext, query: string) {
  const response = await t.asSuperadmin('audit', { query })
  return { response, entries: expectList<AuditEntry>(response, 'entries'), nextCursor: expectJson(response).nextCursor }
}

/** Finds entries of the run, newest first, until `isEnough`. */
async function findEntries(
  t: TestContext,
  isOwn: (entry: AuditEntry) => boolean,
  isEnough: (own: readonly AuditEntry[]) => boolean,
): Promise<AuditEntry[]> {
  const own: AuditEntry[] = []
  let cursor = ''
  for (let pages = 0; pages < MAX_PAGES && !isEnough(own); pages += 1) {
    const { entries, nextCursor } = await auditPage(t, `?limit=${PAGE}${cursor}`)
    own.push(...entries.filter(isOwn))
    if (nextCursor === undefined) break
    cursor = `&cursor=${encodeURIComponent(String(nextCursor))}`
  }
  return own
}

/** Fails unless the audit log has each of these actions on a subject, with actor, time and address. */
async function expectRecorded(
  t: TestContext,
  subject: string,
  actor: string,
  ...actions: string[]
): Promise<readonly AuditEntry[]> {
  const find = (own: readonly AuditEntry[], action: string) => own.find((entry) => entry.action === action)
  const own = await findEntries(
    t,
    (entry) => entry.subject === subject,
    (found) => actions.every((action) => find(found, action)),
  )
  for (const action of actions) {
    const entry = find(own, action)
    const seen = own.map((one) => one.action)
    expectThat(entry !== undefined, `"${action}" in the audit log`, seen)
    expectSame(entry.actor, actor, `the actor of "${action}"`)
    expectDateTime(entry.at, '"at"')
    expectThat(typeof entry.address === 'string' && entry.address !== '', 'an "address"', typeof entry.address)
  }
  return own
}

export const adminAuditChecks = checksOf('admin', [
  check('audit-login', 'A login is in the audit log, with who, when and from where.', async (t) => {
    const { username } = await t.newAdmin()
    const isLogin = ({ action, actor }: AuditEntry) => action === 'login' && actor === username
    const [entry] = await findEntries(t, isLogin, (found) => found.length > 0)
    expectThat(entry !== undefined, '"login" of the new administrator in the audit log', 'none')
    expectDateTime(entry.at, '"at"')
  }),
  check(
    'audit-user-changes',
    'The creation, resets and deletion of a user are in the audit log, with who did it.',
    async (t) => {
      const { username } = await t.superadmin()
      const { name } = await t.newUser()
      const types = ['password', 'fernet', 'api-key'] as const
      for (const type of types) await t.reset(name, type)
      expectStatus(await t.asSuperadmin('deleteUser', { params: { name } }), 204)
      const resets = types.map((type) => `user.reset.${type}`)
      await expectRecorded(t, name, username, 'user.create', ...resets, 'user.delete')
    },
  ),
  check('audit-catches', 'Catches that an administrator adds or removes are in the audit log.', async (t) => {
    const { username } = await t.superadmin()
    const { name } = await t.newUser()
    const query = '?gamemode=earth'
    const added = await t.asSuperadmin('addUserCrab', { params: { name }, query, body: { crab: [{}] } })
    const id = String(expectJson(added, 201).id)
    expectStatus(await t.asSuperadmin('deleteUserCrab', { params: { name, id }, query }), 204)
    await expectRecorded(t, name, username, 'crab.add', 'crab.delete')
  }),
  check(
    'audit-key-read-by-owner',
    "A player's read of its own key is in the audit log, with the request id.",
    async (t) => {
      const user = await t.newUser()
      const requestId = `conformance-${user.id}`.slice(0, 64).replace(/[^A-Za-z0-9._-]/g, '.')
      const headers = { authorization: basic(user.name, user.password), [HEADERS.requestId]: requestId }
      expectStatus(await t.request('/get/user/key', { headers }), 200)
      const own = await expectRecorded(t, user.name, user.name, 'key.read')
      const entry = own.find(({ action }) => action === 'key.read')
      expectSame(entry?.requestId, requestId, '"requestId" of the entry')
    },
  ),
  check('audit-key-read-by-administrator', "An administrator's read of a key is in the audit log.", async (t) => {
    const { username, password } = await t.superadmin()
    const { name } = await t.newUser()
    const headers = { authorization: basic(username, password) }
    expectStatus(await t.request(`/get/user/key?name=${name}`, { headers }), 200)
    await expectRecorded(t, name, username, 'key.read')
  }),
  check('audit-admin-changes', 'The creation and deletion of an administrator are in the audit log.', async (t) => {
    const { username: actor } = await t.superadmin()
    const { username } = await t.newAdmin()
    expectStatus(await t.asSuperadmin('deleteAdmin', { params: { username } }), 204)
    await expectRecorded(t, username, actor, 'admin.create', 'admin.delete')
  }),
  check('audit-newest-first', 'The audit log is sorted newest first and paged by limit and nextCursor.', async (t) => {
    await writeAndExpectId(t, 'fish', SHORT_PAYLOADS.fish)
    await t.newUser()
    const first = await auditPage(t, '?limit=2')
    expectSame(first.entries.length, 2, 'the number of entries', first.response)
    const cursor = encodeURIComponent(String(first.nextCursor))
    const second = await auditPage(t, `?limit=2&cursor=${cursor}`)
    const times = [...first.entries, ...second.entries].map(({ at }) => Date.parse(at))
    expectThat(times.length === 4, '4 entries on two pages', times.length, second.response)
    const isOrdered = times.every((time, index) => index === 0 || time <= (times[index - 1] ?? 0))
    expectThat(isOrdered, 'entries newest first', 'another order', second.response)
    const ids = [...first.entries, ...second.entries].map(({ requestId, action }) => `${requestId} ${action}`)
    expectSame(new Set(ids).size, 4, 'the number of different entries', second.response)
  }),
  check('audit-invalid-limit', 'The audit log with limit=0 is 400.', async (t) => {
    expectBadRequest(await t.asSuperadmin('audit', { query: '?limit=0' }))
  }),
])
