import { HEADERS, RARITY_LABELS } from '@fish-crab/sdk/contract'
import { basic } from '../context/accounts.ts'
import { gamemodesOf, SHORT_PAYLOADS, writeAndExpectId } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import {
  CheckSkipped,
  expectBadRequest,
  expectDateTime,
  expectJson,
  expectList,
  expectSame,
  expectStatus,
  expectThat,
} from '../context/expect.ts'
import { check, checksOf } from './check.ts'

type Counts = Readonly<Record<string, number>>

interface Stats {
  readonly users: number
  readonly fish: { readonly total: number; readonly byGamemode: Counts; readonly byRarity: Counts }
  readonly crab: { readonly total: number; readonly byGamemode: Counts }
}

interface Place {
  readonly name: string
  readonly count: number
}

const sum = (counts: Counts = {}) => Object.values(counts).reduce((total, count) => total + count, 0)

async function stats(t: TestContext): Promise<Stats> {
  const response = await t.asSuperadmin('stats')
  const found = expectJson(response) as unknown as Stats
  const gamemodes = [...(await gamemodesOf(t))].sort()
  expectSame(Object.keys(found.fish?.byGamemode ?? {}).sort(), gamemodes, 'fish.byGamemode', response)
  expectSame(Object.keys(found.crab?.byGamemode ?? {}).sort(), gamemodes, 'crab.byGamemode', response)
  expectSame(Object.keys(found.fish?.byRarity ?? {}).sort(), [...RARITY_LABELS].sort(), 'fish.byRarity', response)
  return found
}

/** Others may write in the meantime, so only a lower bound is checked. */
function expectIncrease(before: number, after: number, by: number, what: string): void {
  expectThat(after >= before + by, `${what} to grow by at least ${by}`, `${after - before}`)
}

export const adminReportsChecks = checksOf('admin', [
  check('stats-add-up', 'The counts by gamemode and by rarity add up to the totals.', async (t) => {
    await writeAndExpectId(t, 'fish', { fish: [1, 4].map((rarity) => ({ name: 'Cod', rarity })) })
    await writeAndExpectId(t, 'crab', { crab: [{}] })
    const { users, fish, crab } = await stats(t)
    expectThat(Number.isInteger(users) && users >= 0, 'an integer number of users', users)
    expectSame([sum(fish.byGamemode), sum(fish.byRarity)], [fish.total, fish.total], 'the sums of fish')
    expectSame(sum(crab.byGamemode), crab.total, 'the sum of crabs')
  }),
  check('stats-count-catches', 'New users, fish and crabs are counted, by gamemode and rarity.', async (t) => {
    await t.user()
    const before = await stats(t)
    await t.newUser()
    const fish = [1, 2, 3].map(() => ({ name: 'Leviathan', rarity: 7 }))
    await writeAndExpectId(t, 'fish', { fish }, { gamemode: 'oneblock' })
    await writeAndExpectId(t, 'crab', { crab: [{}, {}] }, { gamemode: 'factions' })
    const after = await stats(t)
    expectIncrease(before.users, after.users, 1, 'the users')
    expectIncrease(before.fish.total, after.fish.total, 3, 'the fish')
    expectIncrease(before.fish.byGamemode.oneblock ?? 0, after.fish.byGamemode.oneblock ?? 0, 3, 'the fish of oneblock')
    expectIncrease(before.fish.byRarity.Mythical ?? 0, after.fish.byRarity.Mythical ?? 0, 3, 'the Mythical fish')
    expectIncrease(
      before.crab.byGamemode.factions ?? 0,
      after.crab.byGamemode.factions ?? 0,
      2,
      'the crabs of factions',
    )
  }),
  ...(
    [
      ['leaderboard-fish', 'fish', 'factions'],
      ['leaderboard-crab', 'crab', 'survival'],
      ['leaderboard-of-all-gamemodes', 'fish', undefined],
    ] as const
  ).map(([id, type, gamemode]) =>
    check(id, `The leaderboard of ${type} in ${gamemode ?? 'all gamemodes'} is sorted, best first.`, async (t) => {
      const entry = type === 'fish' ? { name: 'Cod', rarity: 1 } : {}
      for (const entries of [[entry], [entry, entry]]) {
        const user = await t.newUser()
        await writeAndExpectId(t, type, { [type]: entries }, { user, gamemode: gamemode ?? 'earth' })
      }
      const query = `?type=${type}${gamemode ? `&gamemode=${gamemode}` : ''}&limit=2`
      const response = await t.asSuperadmin('leaderboard', { query })
      const body = expectJson(response)
      expectSame(body.type, type, '"type"', response)
      if (gamemode) expectSame(body.gamemode, gamemode, '"gamemode"', response)
      const list = expectList<Place>(response, 'leaderboard')
      expectSame(list.length, 2, 'the number of places', response)
      for (const place of list) {
        const isPlace = typeof place.name === 'string' && Number.isInteger(place.count) && place.count > 0
        expectThat(isPlace, 'places of { name, count }', Object.keys(place), response)
      }
      const [first = 0, second = 0] = list.map(({ count }) => count)
      expectThat(first >= second, 'the counts, best first', [first, second], response)
    }),
  ),
  check('leaderboard-counts', 'The leaderboard counts the catches of each user, best first.', async (t) => {
    const best = await t.newUser()
    const second = await t.newUser()
    const crabs = (count: number) => ({ crab: Array.from({ length: count }, () => ({})) })
    await writeAndExpectId(t, 'crab', crabs(5), { user: second, gamemode: 'oneblock' })
    await writeAndExpectId(t, 'crab', crabs(7), { user: best, gamemode: 'oneblock' })
    const response = await t.asSuperadmin('leaderboard', { query: '?type=crab&gamemode=oneblock&limit=1000' })
    const list = expectList<Place>(response, 'leaderboard')
    // The users of the run may be behind a thousand others.
    if (list.length === 1000 && (list.at(-1)?.count ?? 0) >= 5) return
    const own = list.filter(({ name }) => name === best.name || name === second.name).map(({ count }) => count)
    expectSame(own, [7, 5], 'the counts of both users', response)
  }),
  check(
    'public-leaderboard',
    'A public leaderboard is sorted, best first, with as many places as requested.',
    async (t) => {
      await writeAndExpectId(t, 'crab', { crab: [{}] }, { gamemode: 'oneblock' })
      const response = await t.request('/get/leaderboard?kind=crab&gamemode=oneblock')
      if (response.status === 404) throw new CheckSkipped('the service does not publish its leaderboard')
      const counts = expectList<Place>(response, 'leaderboard').map(({ count }) => count)
      expectThat(counts.length >= 1 && counts.length <= 10, '1 to 10 places', counts.length, response)
      expectSame(
        counts,
        counts.toSorted((one, other) => other - one),
        'the counts',
        response,
      )
      const first = await t.request('/get/leaderboard?kind=crab&limit=1')
      expectSame(expectList<Place>(first, 'leaderboard').length, 1, 'the number of places', first)
      for (const wrong of ['kind=whale', 'kind=fish&gamemode=moon', 'kind=fish&limit=101', '']) {
        expectBadRequest(await t.request(`/get/leaderboard?${wrong}`))
      }
    },
  ),
  check('leaderboard-unknown-type', 'A leaderboard of an unknown type or gamemode is 400.', async (t) => {
    for (const query of ['', '?type=whale', '?type=fish&gamemode=moon']) {
      expectBadRequest(await t.asSuperadmin('leaderboard', { query }))
    }
  }),
])

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
  check('audit-user-changes', 'The creation, resets and deletion of a user are in the audit log.', async (t) => {
    const { username } = await t.superadmin()
    const { name } = await t.newUser()
    const types = ['password', 'fernet', 'api-key'] as const
    for (const type of types) await t.reset(name, type)
    expectStatus(await t.asSuperadmin('deleteUser', { params: { name } }), 204)
    const resets = types.map((type) => `user.reset.${type}`)
    await expectRecorded(t, name, username, 'user.create', ...resets, 'user.delete')
  }),
  check('audit-catches', 'Catches that an administrator adds, moves or removes are in the audit log.', async (t) => {
    const { username } = await t.superadmin()
    const { name } = await t.newUser()
    const query = '?gamemode=earth'
    const added = await t.asSuperadmin('addUserCrab', { params: { name }, query, body: { crab: [{}] } })
    const id = String(expectJson(added, 201).id)
    const params = { name, id }
    expectStatus(await t.asSuperadmin('moveUserCrab', { params, query, body: { gamemode: 'oneblock' } }), 204)
    expectStatus(await t.asSuperadmin('deleteUserCrab', { params, query: '?gamemode=oneblock' }), 204)
    await expectRecorded(t, name, username, 'crab.add', 'crab.move', 'crab.delete')
  }),
  check('audit-key-read-by-owner', "A player's read of its own key is in the audit log, with its id.", async (t) => {
    const user = await t.newUser()
    const requestId = `conformance-${user.id}`.slice(0, 64).replace(/[^A-Za-z0-9._-]/g, '.')
    const headers = { authorization: basic(user.name, user.password), [HEADERS.requestId]: requestId }
    expectStatus(await t.request('/get/user/key', { headers }), 200)
    const own = await expectRecorded(t, user.name, user.name, 'key.read')
    const entry = own.find(({ action }) => action === 'key.read')
    expectSame(entry?.requestId, requestId, '"requestId" of the entry')
  }),
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
])
