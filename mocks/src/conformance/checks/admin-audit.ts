import { HEADERS } from '@fish-crab/sdk/contract'
import { SHORT, writeAndExpectId } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import { expectErrorForm, expectJson, expectMoment, expectSame, expectStatus, expectThat } from '../context/expect.ts'
import { checksOf } from './check.ts'

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

/** Reads a page of the audit log. */
async function auditPage(context: TestContext, query: string) {
  const response = await context.asSuperadmin('audit', { query })
  const { entries, nextCursor } = expectJson(response)
  expectThat(Array.isArray(entries), 'an array under "entries"', typeof entries, response)
  return { response, entries: entries as AuditEntry[], nextCursor }
}

/** Finds entries of the run, newest first, until `isEnough`. */
async function findEntries(
  context: TestContext,
  isOwn: (entry: AuditEntry) => boolean,
  isEnough: (own: readonly AuditEntry[]) => boolean,
): Promise<AuditEntry[]> {
  const own: AuditEntry[] = []
  let cursor = ''
  for (let pages = 0; pages < MAX_PAGES && !isEnough(own); pages += 1) {
    const { entries, nextCursor } = await auditPage(context, `?limit=${PAGE}${cursor}`)
    own.push(...entries.filter(isOwn))
    if (nextCursor === undefined) break
    cursor = `&cursor=${encodeURIComponent(String(nextCursor))}`
  }
  return own
}

/** Fails unless the audit log has each of these actions on a subject, with actor, time and address. */
async function expectRecorded(
  context: TestContext,
  subject: string,
  actor: string,
  ...actions: string[]
): Promise<readonly AuditEntry[]> {
  const find = (own: readonly AuditEntry[], action: string) => own.find((entry) => entry.action === action)
  const own = await findEntries(
    context,
    (entry) => entry.subject === subject,
    (found) => actions.every((action) => find(found, action)),
  )
  for (const action of actions) {
    const entry = find(own, action)
    const seen = own.map((one) => one.action)
    expectThat(entry !== undefined, `"${action}" in the audit log`, seen)
    expectSame(entry.actor, actor, `the actor of "${action}"`)
    expectMoment(entry.at, '"at"')
    expectThat(typeof entry.address === 'string' && entry.address !== '', 'an "address"', typeof entry.address)
  }
  return own
}

/** The audit log. */
export const adminAuditChecks = checksOf('admin', [
  [
    'audit-login',
    'A login is in the audit log, with who, when and from where.',
    async (context) => {
      const { token } = await context.superadmin()
      const { username } = await context.accounts.newAdmin(token, 'admin')
      const isLogin = ({ action, actor }: AuditEntry) => action === 'login' && actor === username
      const [entry] = await findEntries(context, isLogin, (found) => found.length > 0)
      expectThat(entry !== undefined, '"login" of the new administrator in the audit log', 'none')
      expectMoment(entry.at, '"at"')
    },
  ],
  [
    'audit-user-changes',
    'The creation, resets and deletion of a user are in the audit log, with who did it.',
    async (context) => {
      const { username } = await context.superadmin()
      const { name } = await context.newUser()
      for (const type of ['password', 'fernet', 'api-key']) {
        const response = await context.asSuperadmin('resetUser', { params: { name }, body: { type } })
        for (const secret of Object.values(expectJson(response))) context.redact(String(secret))
      }
      expectStatus(await context.asSuperadmin('deleteUser', { params: { name } }), 204)
      const resets = ['user.reset.password', 'user.reset.fernet', 'user.reset.api-key']
      await expectRecorded(context, name, username, 'user.create', ...resets, 'user.delete')
    },
  ],
  [
    'audit-catches',
    'Catches that an administrator adds or removes are in the audit log.',
    async (context) => {
      const { username } = await context.superadmin()
      const { name } = await context.newUser()
      const query = '?gamemode=earth'
      const added = await context.asSuperadmin('addUserCrab', { params: { name }, query, body: { crab: [{}] } })
      const id = String(expectJson(added, 201).id)
      expectStatus(await context.asSuperadmin('deleteUserCrab', { params: { name, id }, query }), 204)
      await expectRecorded(context, name, username, 'crab.add', 'crab.delete')
    },
  ],
  [
    'audit-key-read-by-owner',
    "A player's read of its own key is in the audit log, with the request id.",
    async (context) => {
      const user = await context.newUser()
      const requestId = `conformance-${user.id}`.slice(0, 64).replace(/[^A-Za-z0-9._-]/g, '.')
      const authorization = `Basic ${btoa(`${user.name}:${user.password}`)}`
      const headers = { authorization, [HEADERS.requestId]: requestId }
      expectStatus(await context.request('/get/user/key', { headers }), 200)
      const own = await expectRecorded(context, user.name, user.name, 'key.read')
      const entry = own.find(({ action }) => action === 'key.read')
      expectSame(entry?.requestId, requestId, '"requestId" of the entry')
    },
  ],
  [
    'audit-key-read-by-administrator',
    "An administrator's read of a key is in the audit log.",
    async (context) => {
      const { username, password } = await context.superadmin()
      const { name } = await context.newUser()
      const authorization = `Basic ${btoa(`${username}:${password}`)}`
      expectStatus(await context.request(`/get/user/key?name=${name}`, { headers: { authorization } }), 200)
      await expectRecorded(context, name, username, 'key.read')
    },
  ],
  [
    'audit-admin-changes',
    'The creation and deletion of an administrator are in the audit log.',
    async (context) => {
      const { username: actor, token } = await context.superadmin()
      const { username } = await context.accounts.newAdmin(token, 'admin')
      expectStatus(await context.asSuperadmin('deleteAdmin', { params: { username } }), 204)
      await expectRecorded(context, username, actor, 'admin.create', 'admin.delete')
    },
  ],
  [
    'audit-newest-first',
    'The audit log is sorted newest first and paged by limit and nextCursor.',
    async (context) => {
      await writeAndExpectId(context, 'fish', SHORT.fish)
      await context.newUser()
      const first = await auditPage(context, '?limit=2')
      expectSame(first.entries.length, 2, 'the number of entries', first.response)
      const cursor = encodeURIComponent(String(first.nextCursor))
      const second = await auditPage(context, `?limit=2&cursor=${cursor}`)
      const times = [...first.entries, ...second.entries].map(({ at }) => Date.parse(at))
      expectThat(times.length === 4, '4 entries on two pages', times.length, second.response)
      const isOrdered = times.every((time, index) => index === 0 || time <= (times[index - 1] ?? 0))
      expectThat(isOrdered, 'entries newest first', 'another order', second.response)
      const ids = [...first.entries, ...second.entries].map(({ requestId, action }) => `${requestId} ${action}`)
      expectSame(new Set(ids).size, 4, 'the number of different entries', second.response)
    },
  ],
  [
    'audit-invalid-limit',
    'The audit log with limit=0 is 400.',
    async (context) => {
      const response = await context.asSuperadmin('audit', { query: '?limit=0' })
      expectStatus(response, 400)
      expectErrorForm(response)
    },
  ],
])
