import { AuthenticationError } from '@fish-crab/sdk'
import { type AuditEntry, createAdminClient } from '@fish-crab/sdk/admin'
import { ACCOUNT_LIMITS, GAMEMODES } from '@fish-crab/sdk/constants'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { searchAudit } from '../../web/src/admin/data/audit.ts'
import { ALL_PLAYERS, fragmentOf, NO_FILTER, readView, type View } from '../../web/src/admin/data/location.ts'
import { problemOf } from '../../web/src/admin/data/problems.ts'
import {
  addEntries,
  filterRecords,
  loadRecords,
  moveRecord,
  recordsOf,
  removeCatches,
} from '../../web/src/admin/data/records.ts'
import { createRemovals, keyOfCatch, type RemovalState, UNDO_MS } from '../../web/src/admin/data/removals.ts'
import { createAdminSession, SignedOutError } from '../../web/src/admin/data/session.ts'
import { createMemoryService } from '../app/memory-service.ts'

const BASE_URL = 'http://service.test'

/** Opens a session of the page on a service in memory. */
async function openSession() {
  const service = await createMemoryService()
  const requests: Request[] = []
  const fetch = (async (input: string, init: RequestInit) => {
    const request = new Request(input, init)
    requests.push(request.clone())
    return service.app.fetch(request)
  }) as typeof globalThis.fetch
  const session = createAdminSession((by) =>
    createAdminClient({ baseUrl: BASE_URL, fetch, maxWaitMs: 0, maxRetries: 0, ...by }),
  )
  return { ...service, session, requests }
}

const HOUR_MS = ACCOUNT_LIMITS.sessionSeconds * 1000

describe('a session of the administrators’ page', () => {
  it('sends the password only once, and sends the token in later requests', async () => {
    const { session, root, requests } = await openSession()
    await session.signIn(root)
    expect(session.state()).toMatchObject({ step: 'signed-in', admin: { username: 'root', role: 'superadmin' } })
    await session.request((client) => client.users.create({ name: 'Mia' }))
    const bodies = await Promise.all(requests.map((request) => request.text()))
    expect(bodies.filter((body) => body.includes(root.password))).toHaveLength(1)
    expect(requests.slice(1).map(({ headers }) => /^Bearer /.test(headers.get('authorization') ?? ''))).toEqual([
      true,
      true,
    ])
  })

  it('delays requests after its expiry until the administrator signs in again', async () => {
    const { session, root, advance } = await openSession()
    await session.signIn(root)
    advance(HOUR_MS + 1000)
    const created = session.request((client) => client.users.create({ name: 'Mia' }))
    const listed = session.request((client) => client.users.list())
    await expect.poll(() => session.state().step).toBe('expired')
    await expect(session.signIn({ ...root, password: 'wrong' })).rejects.toThrow(AuthenticationError)
    expect(session.state().step).toBe('expired')
    await session.signIn(root)
    expect(await created).toMatchObject({ name: 'Mia' })
    expect((await listed).users.length).toBeGreaterThan(0)
  })

  it('rejects requests after the session ends, including delayed requests', async () => {
    const { session, root, advance } = await openSession()
    await expect(session.request((client) => client.me())).rejects.toThrow(SignedOutError)
    await session.signIn(root)
    advance(HOUR_MS + 1000)
    const waiting = session.request((client) => client.me())
    await expect.poll(() => session.state().step).toBe('expired')
    void session.signOut()
    await expect(waiting).rejects.toThrow(SignedOutError)
    await expect(session.request((client) => client.me())).rejects.toThrow(SignedOutError)
  })

  it('is invalid for the service after sign-out', async () => {
    const { session, root, requests, request } = await openSession()
    await session.signIn(root)
    const authorization = requests.at(-1)?.headers.get('authorization') ?? ''
    const ask = () => request('/admin/me', { headers: { authorization } })
    expect((await ask()).status).toBe(200)
    await session.signOut()
    expect((await ask()).status).toBe(401)
  })

  it('reads a key with the password, and does not store the password', async () => {
    const { session, root, requests, alex } = await openSession()
    await session.signIn(root)
    const { fernetKey } = await session.requestWith(root.password, (client) => client.keys.get('Alex'))
    expect(fernetKey).toBe(alex.fernetKey)
    expect(requests.at(-1)?.headers.get('authorization')).toMatch(/^Basic /)
    await session.request((client) => client.me())
    expect(requests.at(-1)?.headers.get('authorization')).toMatch(/^Bearer /)
  })
})

describe('the address of a view', () => {
  it.each<View>([
    { name: 'overview' },
    { name: 'administrators' },
    ALL_PLAYERS,
    { name: 'players', search: 'a&b=c #', sort: '-latest' },
    { name: 'player', player: '_*.-9', kind: 'crab', gamemode: 'factions', filter: NO_FILTER },
    {
      name: 'player',
      player: 'Alex',
      kind: 'fish',
      gamemode: 'earth',
      filter: { text: 'a&b', rarity: 'Unknown/Other', day: '2026-01-31' },
    },
    { name: 'leaderboard', kind: 'crab', gamemode: undefined },
    { name: 'leaderboard', kind: 'fish', gamemode: 'earth' },
    { name: 'audit', filter: { text: '', action: undefined, since: '' } },
    { name: 'audit', filter: { text: '10.0.0.1', action: 'user.reset.api-key', since: '2026-01-31' } },
  ])('is parsed to the same view: %o', (view) => {
    expect(readView(fragmentOf(view), GAMEMODES)).toEqual(view)
  })

  it.each([
    ['', { name: 'overview' }],
    ['#players/Alex', { name: 'player', player: 'Alex', kind: undefined, gamemode: undefined }],
    ['#players/Alex?gamemode=Moon&kind=whale', { name: 'player', kind: undefined, gamemode: undefined }],
    ['#players/Alex?rarity=Iron&day=2026-13-01', { name: 'player', filter: NO_FILTER }],
    ['#players?sort=toString', ALL_PLAYERS],
    ['#audit?action=__proto__&since=yesterday', { name: 'audit', filter: { text: '', since: '' } }],
    ['#audit?since=2026-13-01', { name: 'audit', filter: { since: '' } }],
    ['#players/<script>', { name: 'unknown' }],
    ['#players/Alex/x', { name: 'unknown' }],
    ['#constructor', { name: 'unknown' }],
  ])('is parsed without its invalid parts: %s', (fragment, view) => {
    expect(readView(fragment, GAMEMODES)).toMatchObject(view)
  })
})

describe('a search of the audit log', () => {
  const entry = (index: number): AuditEntry => ({
    id: String(index),
    at: new Date(Date.UTC(2026, 5, 1) - index * 3_600_000).toISOString(),
    actor: index % 100 === 0 ? 'mia' : 'root',
    action: index % 2 === 0 ? 'login' : 'user.create',
    address: '127.0.0.1',
    requestId: `request-${index}`,
  })
  const LOG = Array.from({ length: 3000 }, (_, index) => entry(index))
  const NONE = { text: '', action: undefined, since: '' }

  function openLog() {
    let reads = 0
    const read = async ({ limit, cursor = '0' }: { limit: number; cursor?: string }) => {
      reads += 1
      const next = Number(cursor) + limit
      const entries = LOG.slice(Number(cursor), next)
      return next < LOG.length ? { entries, nextCursor: String(next) } : { entries }
    }
    return { read, reads: () => reads }
  }

  it('reads one page, and continues after the last entry of the page', async () => {
    const { read, reads } = openLog()
    const first = await searchAudit(read, NONE)
    expect([first.entries.length, reads()]).toEqual([50, 1])
    const more = await searchAudit(read, NONE, first)
    expect(more.entries.map(({ id }) => id)).toEqual(LOG.slice(0, 100).map(({ id }) => id))
  })

  it('reads at most 1,000 entries at once if few entries match, and reports the time of the oldest read entry', async () => {
    const { read, reads } = openLog()
    const found = await searchAudit(read, { ...NONE, text: 'MIA' })
    expect([found.entries.length, reads()]).toEqual([10, 4])
    expect(found).toMatchObject({ cursor: '1000', searchedBackTo: LOG[999]?.at })
    let all = found
    while (all.cursor !== undefined) all = await searchAudit(read, { ...NONE, text: 'MIA' }, all)
    expect([all.entries.length, reads()]).toEqual([30, 12])
  })

  it('finds entries by action or by request id, and stops at the chosen date', async () => {
    const { read } = openLog()
    const byAction = await searchAudit(read, { ...NONE, action: 'login' })
    expect(new Set(byAction.entries.map(({ action }) => action))).toEqual(new Set(['login']))
    expect((await searchAudit(read, { ...NONE, text: 'request-77' })).entries[0]?.id).toBe('77')
    const since = await searchAudit(read, { ...NONE, since: '2026-05-25' })
    const start = new Date('2026-05-25T00:00:00').toISOString()
    expect(since.cursor).toBeUndefined()
    expect(since.entries).toEqual(LOG.filter(({ at }) => at >= start))
  })
})

describe('the catches of a player', () => {
  it('are grouped by record, newest first', () => {
    const listed = (id: string, name: string) => ({ id, name, caughtAt: '2026-01-01T00:00:00.000Z' })
    expect(recordsOf([listed('1', 'Cod'), listed('2', 'Koi'), listed('2', 'Eel')])).toMatchObject([
      { id: '2', entries: [{ name: 'Koi' }, { name: 'Eel' }] },
      { id: '1', entries: [{ name: 'Cod' }] },
    ])
  })

  it.each(['fish', 'crab'] as const)('keep their names, rarities and times after a move: %s', async (kind) => {
    const { session, root } = await openSession()
    await session.signIn(root)
    const from = { player: 'Alex', kind, gamemode: 'earth' }
    const to = { ...from, gamemode: 'factions' }
    const entries = [
      {
        name: 'Koi',
        ...(kind === 'fish' ? { rarity: 'Mythical' as const } : {}),
        caughtAt: '2025-01-01T00:00:00.000Z',
      },
      {
        name: '?',
        ...(kind === 'fish' ? { rarity: 'Unknown/Other' as const } : {}),
        caughtAt: '2025-01-02T00:00:00.000Z',
      },
    ]
    await session.request((client) => addEntries(client, from, entries))
    const [record] = await session.request((client) => loadRecords(client, from))
    await session.request((client) => moveRecord(client, from, record?.id ?? '', 'factions'))
    expect(await session.request((client) => loadRecords(client, from))).toEqual([])
    expect(await session.request((client) => loadRecords(client, to))).toEqual([record])
    expect(record?.entries).toMatchObject(entries)
    const remove = (entry: number | undefined) =>
      session.request((client) => removeCatches(client, { ...to, id: record?.id ?? '', entry }))
    await remove(0)
    expect(await session.request((client) => loadRecords(client, to))).toMatchObject([
      { entries: [{ name: '?', entry: 1 }] },
    ])
    await remove(undefined)
    expect(await session.request((client) => loadRecords(client, to))).toEqual([])
  })

  it('are filtered by species, rarity and local day', () => {
    const at = (day: number, hour: number) => new Date(2026, 2, day, hour).toISOString()
    const records = recordsOf([
      { id: '1', entry: 0, name: 'Sea Bass', rarity: 'Gold', caughtAt: at(28, 23) },
      { id: '1', entry: 2, name: 'Cod', rarity: 'Silver', caughtAt: at(29, 0) },
      { id: '2', entry: 0, name: 'Bass', rarity: 'Silver', caughtAt: at(29, 23) },
      { id: '3', entry: 0, name: 'Koi', rarity: 'Gold', caughtAt: at(30, 0) },
    ])
    const found = (filter: object) =>
      filterRecords(records, { ...NO_FILTER, ...filter }).flatMap(({ entries }) => entries.map(({ name }) => name))
    expect(found({})).toEqual(['Koi', 'Bass', 'Sea Bass', 'Cod'])
    expect(found({ text: 'BASS' })).toEqual(['Bass', 'Sea Bass'])
    expect(found({ rarity: 'Silver' })).toEqual(['Bass', 'Cod'])
    expect(found({ day: '2026-03-29' })).toEqual(['Bass', 'Cod'])
    expect(found({ day: '2026-03-29', text: 'o' })).toEqual(['Cod'])
  })
})

describe('the removal of a catch', () => {
  const removal = (what: string) => ({
    player: 'Alex',
    kind: 'fish' as const,
    gamemode: 'earth',
    id: 'record',
    entry: what.length,
    what,
    onEnd: () => {},
  })

  function openRemovals() {
    vi.useFakeTimers()
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const sent: (number | undefined)[] = []
    let state: RemovalState = { hidden: new Set() }
    let fail: unknown
    const removals = createRemovals(
      async ({ entry }) => {
        sent.push(entry)
        if (fail !== undefined) throw fail
      },
      (next) => {
        state = next
      },
    )
    return { removals, sent, state: () => state, failWith: (error: unknown) => (fail = error) }
  }

  it('hides the catch at once, and is sent after ten seconds', async () => {
    const { removals, sent, state } = openRemovals()
    removals.remove(removal('Koi'))
    expect([...state().hidden]).toEqual([keyOfCatch('Alex', 'record', 3)])
    await vi.advanceTimersByTimeAsync(UNDO_MS - 1)
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect([sent, state().current, state().hidden.size]).toEqual([[3], undefined, 1])
  })

  it('is never sent after it was undone', async () => {
    const { removals, sent, state } = openRemovals()
    removals.remove(removal('Koi'))
    removals.undo()
    await vi.advanceTimersByTimeAsync(UNDO_MS * 2)
    expect([sent, state().hidden.size, state().current]).toEqual([[], 0, undefined])
  })

  it('is sent at once by the next removal, which can still be undone', async () => {
    const { removals, sent, state } = openRemovals()
    removals.remove(removal('Koi'))
    removals.remove(removal('Salmon'))
    await vi.advanceTimersByTimeAsync(0)
    expect([sent, state().current?.removal.what]).toEqual([[3], 'Salmon'])
    removals.undo()
    await removals.flush()
    expect([sent, [...state().hidden]]).toEqual([[3], [keyOfCatch('Alex', 'record', 3)]])
  })

  it('shows the catch again if the service does not remove it', async () => {
    const { removals, state, failWith } = openRemovals()
    failWith(new Error('storage'))
    removals.remove(removal('Koi'))
    await removals.flush()
    expect(state()).toMatchObject({ failure: { removal: { what: 'Koi' }, error: new Error('storage') } })
    expect([state().hidden.size, state().current]).toEqual([0, undefined])
  })
})

describe('the description of an error', () => {
  const described = async (make: Parameters<Awaited<ReturnType<typeof openSession>>['session']['request']>[0]) => {
    const { session, root } = await openSession()
    await session.signIn(root)
    return session.request(make).then(
      () => undefined,
      (error: unknown) => problemOf(error, { now: 0 }),
    )
  }

  it('contains the next step', async () => {
    expect(await described((client) => client.users.create({ name: 'alex' }))).toEqual({
      title: 'A player of this name exists already.',
      next: 'Letter case makes no difference. Choose another name.',
    })
    expect(await described((client) => client.admins.delete('root'))).toMatchObject({
      title: 'The last superadmin cannot be removed.',
    })
    expect(await described((client) => client.users.get('Nobody'))).toMatchObject({ title: 'No player has this name.' })
    expect(await described((client) => client.users.get('-'))).toMatchObject({
      title: expect.stringMatching(/^Must be 1 to 32 characters/),
    })
  })

  it('contains the time of the next attempt after too many failed logins', async () => {
    const { session, root } = await openSession()
    const fail = () =>
      session.signIn({ ...root, password: 'wrong' }).catch((error: unknown) => problemOf(error, { now: 1000 }))
    expect(await fail()).toMatchObject({ title: 'The name or the password is wrong.' })
    for (let attempt = 1; attempt < ACCOUNT_LIMITS.failedLogins; attempt += 1) await fail()
    expect(await fail()).toMatchObject({ title: 'Too many requests.', retryAt: expect.any(Number) })
  })

  it('reports an unknown outcome for a write that gets no response, and repeats no text from unexpected errors', async () => {
    const lost = createAdminSession((by) =>
      createAdminClient({
        baseUrl: BASE_URL,
        fetch: () => Promise.reject(new TypeError('fetch failed')),
        maxRetries: 0,
        ...by,
      }),
    )
    const error = await lost.signIn({ username: 'root', password: 'root-password' }).catch((reason: unknown) => reason)
    expect(problemOf(error, { now: 0 })).toMatchObject({ title: 'The server does not respond.' })
    expect(problemOf(error, { now: 0, ifUnknown: 'Look there.' })).toMatchObject({
      title: expect.stringMatching(/^It is unknown/),
      next: 'Look there.',
    })
    expect(JSON.stringify(problemOf(new Error('a-secret'), { now: 0 }))).not.toContain('a-secret')
  })
})
