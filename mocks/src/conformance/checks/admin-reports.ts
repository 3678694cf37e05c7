import { type AuditEntry, HEADERS, type PublicLeaderboard, RARITY_LABELS, type Stats } from '@fish-crab/sdk/contract'
import { basic } from '../context/accounts.ts'
import { gamemodesOf, writeAndExpectId } from '../context/catches.ts'
import type { TestContext } from '../context/context.ts'
import * as expect from '../context/expect.ts'
import { check, checksOf } from './check.ts'

type Leader = PublicLeaderboard['leaderboard'][number]

const sum = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0)
const countsOf = (response: expect.ReceivedResponse) =>
  expect.list<Leader>(response, 'leaderboard').map(({ count }) => count)

async function stats(t: TestContext): Promise<Stats> {
  const response = await t.asSuperadmin('stats')
  const found = expect.success(response, 'stats') as unknown as Stats
  const gamemodes = [...(await gamemodesOf(t))].sort()
  expect.same(Object.keys(found.fish.byGamemode).sort(), gamemodes, 'fish.byGamemode', response)
  expect.same(Object.keys(found.crab.byGamemode).sort(), gamemodes, 'crab.byGamemode', response)
  expect.same(Object.keys(found.fish.byRarity).sort(), [...RARITY_LABELS].sort(), 'fish.byRarity', response)
  return found
}

/**
 * Lower bounds for the counts, from the users and catches that the run has created. Exact counts are unknown, because
 * other clients may add and delete data during the run.
 */
const OWN: readonly (readonly [number, string, (counts: Stats) => number | undefined])[] = [
  [2, 'the users', ({ users }) => users],
  [3, 'the fish', ({ fish }) => fish.total],
  [3, 'the fish of oneblock', ({ fish }) => fish.byGamemode.oneblock],
  [3, 'the Mythical fish', ({ fish }) => fish.byRarity.Mythical],
  [2, 'the crabs of factions', ({ crab }) => crab.byGamemode.factions],
]

const crabs = (count: number) => ({ crab: Array.from({ length: count }, () => ({})) })

export const adminReportsChecks = checksOf('admin', [
  check('stats', 'Users, fish and crabs are counted, and the counts add up to the totals.', async (t) => {
    await t.user()
    await t.newUser()
    const fish = [1, 2, 3].map(() => ({ name: 'Leviathan', rarity: 7 }))
    await writeAndExpectId(t, 'fish', { fish }, { gamemode: 'oneblock' })
    await writeAndExpectId(t, 'crab', crabs(2), { gamemode: 'factions' })
    const counts = await stats(t)
    for (const [by, what, countOf] of OWN) {
      const count = countOf(counts) ?? 0
      expect.that(count >= by, `${what} to be at least ${by}`, count)
    }
    const { total, byGamemode, byRarity } = counts.fish
    expect.same([sum(byGamemode), sum(byRarity)], [total, total], 'the sums of fish')
    expect.same(sum(counts.crab.byGamemode), counts.crab.total, 'the sum of crabs')
  }),
  check('leaderboard', 'The leaderboard counts the catches of each user, highest count first.', async (t) => {
    const [best, second] = [await t.newUser(), await t.newUser()]
    await writeAndExpectId(t, 'crab', crabs(5), { user: second, gamemode: 'oneblock' })
    await writeAndExpectId(t, 'crab', crabs(7), { user: best, gamemode: 'oneblock' })
    const response = await t.asSuperadmin('leaderboard', { query: '?type=crab&gamemode=oneblock&limit=1000' })
    const { type, gamemode } = expect.success(response, 'leaderboard')
    expect.same([type, gamemode], ['crab', 'oneblock'], '"type" and "gamemode"', response)
    const all = await t.asSuperadmin('leaderboard', { query: '?type=crab&limit=2' })
    expect.success(all, 'leaderboard')
    const counts = countsOf(all)
    expect.same(counts.length, 2, 'the number of places', all)
    expect.that(Number(counts[0]) >= Number(counts[1]), 'the counts, highest first', counts, all)
    const list = expect.list<Leader>(response, 'leaderboard')
    // The users of the run may rank below the first thousand places.
    if (list.length === 1000 && (list.at(-1)?.count ?? 0) >= 5) return
    const own = list.filter(({ name }) => name === best.name || name === second.name).map(({ count }) => count)
    expect.same(own, [7, 5], 'the counts of both users', response)
  }),
  check(
    'public-leaderboard',
    'A public leaderboard lists the best players first, up to the requested number, and the place of a player.',
    async (t) => {
      const response = await t.request('/get/leaderboard?kind=crab&gamemode=oneblock')
      if (response.status === 404) throw new expect.CheckSkipped('the service does not publish its leaderboard')
      expect.success(response, 'getLeaderboard')
      // The players may have been counted before the run.
      const counts = countsOf(response)
      expect.that(counts.length <= 10, 'at most 10 places', counts.length, response)
      const sorted = counts.toSorted((one, other) => other - one)
      expect.same(counts, sorted, 'the counts, highest first', response)
      const first = await t.request('/get/leaderboard?kind=crab&limit=1')
      const [best, ...others] = expect.list<Leader>(first, 'leaderboard')
      expect.same(others.length, 0, 'the number of places after the first', first)
      if (!best) return
      const you = await t.request(`/get/leaderboard?kind=crab&name=${best.name}`)
      // The player may be removed meanwhile.
      const place = expect.json(you).you
      if (place) expect.same(place, { rank: 1, count: best.count }, '"you" of the best player', you)
    },
  ),
  check(
    'public-leaderboard-figures',
    'A public leaderboard counts species or a rarity, and a month, but no species by month and no rarity of crabs.',
    async (t) => {
      const read = (query: string) => t.request(`/get/leaderboard?${query}`)
      const month = new Date(await t.now()).toISOString().slice(0, 'YYYY-MM'.length)
      for (const query of ['by=species', 'by=7', `period=${month}`, `by=7&period=${month}`, 'by=catches&period=all']) {
        const response = await read(`kind=fish&${query}`)
        if (response.status === 404) throw new expect.CheckSkipped('the service does not publish its leaderboard')
        expect.success(response, 'getLeaderboard')
      }
      for (const query of [
        'kind=crab&by=7',
        `kind=fish&by=species&period=${month}`,
        'kind=fish&by=8',
        'kind=fish&period=2026-13',
      ]) {
        expect.error(await read(query), 'invalid_query')
      }
    },
  ),
])

async function auditPage(t: TestContext, query = '?limit=1000') {
  const response = await t.asSuperadmin('audit', { query })
  const { nextCursor } = expect.json(response)
  return { response, entries: expect.list<AuditEntry>(response, 'entries'), nextCursor }
}

/** Performs audited actions. @returns the expected actor, subject and actions of the audit log, in any order */
type Act = (t: TestContext) => Promise<{
  actor: string
  subject?: string
  actions: readonly string[]
  catches?: number
  /** The names of removed catches. */
  species?: readonly string[]
  requestId?: string
}>

const ACTS: Readonly<Record<string, Act>> = {
  async login(t) {
    return { actor: (await t.newAdmin()).username, actions: ['login'] }
  },
  async 'user-changes'(t) {
    const { name } = await t.newUser()
    const types = ['password', 'fernet', 'api-key'] as const
    for (const type of types) await t.reset(name, type)
    expect.status(await t.asSuperadmin('deleteUser', { params: { name } }), 204)
    const actions = ['user.create', ...types.map((type) => `user.reset.${type}`), 'user.delete']
    return { actor: (await t.superadmin()).username, subject: name, actions }
  },
  async catches(t) {
    const { name } = await t.newUser()
    const query = '?gamemode=earth'
    const body = { crab: [{ name: 'Blue crab' }, {}] }
    const added = await t.asSuperadmin('addUserCrab', { params: { name }, query, body })
    const params = { name, id: String(expect.json(added, 201).id) }
    expect.status(await t.asSuperadmin('moveUserCrab', { params, query, body: { gamemode: 'oneblock' } }), 204)
    expect.status(await t.asSuperadmin('deleteUserCrab', { params, query: '?gamemode=oneblock' }), 204)
    const actions = ['crab.add', 'crab.move', 'crab.delete']
    const removed = { catches: 2, species: ['Blue crab', 'crab'] }
    return { actor: (await t.superadmin()).username, subject: name, actions, ...removed }
  },
  async 'key-read-by-owner'(t) {
    const { id, name, password } = await t.newUser()
    const requestId = `conformance-${id}`.slice(0, 64).replace(/[^A-Za-z0-9._-]/g, '.')
    const headers = { authorization: basic(name, password), [HEADERS.requestId]: requestId }
    expect.status(await t.request('/get/user/key', { headers }), 200)
    return { actor: name, subject: name, actions: ['key.read'], requestId }
  },
  async 'key-read-by-administrator'(t) {
    const { username, password } = await t.superadmin()
    const { name } = await t.newUser()
    expect.status(await t.readKey(username, password, `?name=${name}`), 200)
    return { actor: username, subject: name, actions: ['key.read'] }
  },
  async 'admin-changes'(t) {
    const { username } = await t.newAdmin()
    expect.status(await t.asSuperadmin('deleteAdmin', { params: { username } }), 204)
    const actions = ['admin.create', 'admin.delete']
    return { actor: (await t.superadmin()).username, subject: username, actions }
  },
}

export const adminAuditChecks = checksOf('admin', [
  ...Object.entries(ACTS).map(([id, act]) =>
    check(`audit-${id}`, `The audit log records actor, action, time and client address: ${id}.`, async (t) => {
      const { actor, subject, actions, catches, species, requestId } = await act(t)
      const isOwn = (entry: AuditEntry) => (subject === undefined ? entry.actor === actor : entry.subject === subject)
      const { entries } = await auditPage(t)
      const own = entries.filter(isOwn)
      for (const action of actions) {
        const entry = own.find((one) => one.action === action)
        const seen = own.map((one) => one.action)
        expect.that(entry !== undefined, `"${action}" in the audit log`, seen)
        expect.same(entry.actor, actor, `the actor of "${action}"`)
        expect.dateTime(entry.at, '"at"')
        expect.same(entry.catches, catches, `the number of catches of "${action}"`)
        const removed = action.endsWith('.delete') ? species : undefined
        expect.same(entry.species, removed, `the removed species of "${action}"`)
        expect.text(entry.address, '"address"')
        if (requestId) expect.same(entry.requestId, requestId, '"requestId" of the entry')
      }
    }),
  ),
  check('audit-equal-events', 'The audit log counts equal events within five minutes in one entry.', async (t) => {
    const { name, password } = await t.newUser()
    for (let count = 0; count < 3; count += 1) expect.status(await t.readKey(name, password), 200)
    const { entries, response } = await auditPage(t)
    const [read, ...more] = entries.filter(({ actor, action }) => actor === name && action === 'key.read')
    expect.same([read?.count, more], [3, []], 'the count of the entry and further entries', response)
    expect.dateTime(read?.lastAt, '"lastAt"')
  }),
  check('audit-newest-first', 'The audit log is sorted newest first and paged by limit and nextCursor.', async (t) => {
    for (let count = 0; count < 4; count += 1) await t.newUser()
    const first = await auditPage(t, '?limit=2')
    const second = await auditPage(t, `?limit=2&cursor=${encodeURIComponent(String(first.nextCursor))}`)
    const entries = [...first.entries, ...second.entries]
    const times = entries.map(({ at }) => Date.parse(at))
    const sorted = times.toSorted((one, other) => other - one)
    expect.same(times, sorted, 'the times, newest first', second.response)
    const ids = new Set(entries.map(({ requestId, action }) => `${requestId} ${action}`))
    expect.same(first.entries.length, 2, 'the number of entries on the first page', first.response)
    expect.same(ids.size, 4, 'the number of different entries on both pages', second.response)
  }),
])
