import {
  GAMEMODES,
  type Gamemode,
  HEADERS,
  KINDS,
  type Kind,
  RARITIES,
  type Saved,
  type UserDetails,
} from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AsAdmin, asRoot, create } from '../administration.ts'
import { type Listed, post } from '../catches.ts'
import { expectError } from '../errors.ts'
import { readEvents } from '../event-stream.ts'
import { basic, type OpenService, type TestService, UNLIMITED } from '../test-service.ts'

const FREE = { ...UNLIMITED, adminRateLimit: UNLIMITED.rateLimit }
const NAMES = ['Alex', 'Bob']
const MODES = GAMEMODES.slice(0, 2)
const WRITERS = [
  ...['token', 'token', 'token', 'add', 'replay', 'replay', 'remove', 'remove', 'remove one', 'move', 'move', 'move'],
  ...['remove as player', 'remove one as player', 'move as player', 'delete', 'reset'],
] as const
const READERS = [
  'whole',
  'detail',
  'pages',
  'head',
  'summary',
  'events',
  'admin',
  'stats',
  'leaderboard',
  'user',
] as const

const step = fc.record({
  writer: fc.constantFrom(...WRITERS),
  name: fc.constantFrom(...NAMES),
  kind: fc.constantFrom(...KINDS),
  gamemode: fc.constantFrom(...MODES),
  rarities: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
  pick: fc.nat(),
  readers: fc.array(fc.constantFrom(...READERS), { minLength: 1, maxLength: 3 }),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

interface User {
  readonly id: string
  readonly name: string
  readonly password: string
  fernetKey: string
}

interface CatchRecord {
  readonly id: string
  readonly owner: User
  readonly kind: Kind
  entries: readonly Listed[]
  readonly token: string | undefined
  /** The current gamemode; `undefined` after a removal. */
  gamemode: Gamemode | undefined
  /**
   * A number that changes with each move, since event streams report a record as new if the record returns to a
   * collection.
   */
  arrival: number
}

/** The ETag of the last response of a path, and the change count of the collection at that time. */
interface Seen {
  readonly etag: string
  readonly change: number
}

/** The expected state of all collections according to the contract. */
class Model {
  readonly users = new Map<string, User>()
  /** The records in the order of each collection. A move puts a record last. */
  records: CatchRecord[] = []
  private readonly changes = new Map<string, number>()
  private arrivals = 0

  recordsOf(name: string, kind: Kind, gamemode: Gamemode): CatchRecord[] {
    return this.records.filter(
      (one) => one.owner.name === name && one.kind === kind && one.gamemode === gamemode && this.isOwned(one),
    )
  }

  isOwned({ owner }: CatchRecord): boolean {
    return this.users.get(owner.name) === owner
  }

  change(name: string, kind: Kind, gamemode: Gamemode): number {
    return this.changes.get(`${name} ${kind} ${gamemode}`) ?? 0
  }

  changed(name: string, kind: Kind, gamemode: Gamemode): void {
    this.changes.set(`${name} ${kind} ${gamemode}`, this.change(name, kind, gamemode) + 1)
  }

  add(record: Omit<CatchRecord, 'arrival'> & { readonly gamemode: Gamemode }): void {
    this.records.push({ ...record, arrival: this.arrivals++ })
    this.changed(record.owner.name, record.kind, record.gamemode)
  }

  place(record: CatchRecord, gamemode: Gamemode | undefined): void {
    const { owner, kind } = record
    if (record.gamemode === gamemode) return
    for (const place of [record.gamemode, gamemode]) if (place) this.changed(owner.name, kind, place)
    record.gamemode = gamemode
    record.arrival = this.arrivals++
    this.records = [...this.records.filter((one) => one !== record), record]
  }

  removeEntry(record: CatchRecord, index: number): void {
    const { owner, kind, gamemode } = record
    record.entries = record.entries.filter(({ entry }) => entry !== index)
    if (gamemode) this.changed(owner.name, kind, gamemode)
    if (record.entries.length === 0) record.gamemode = undefined
  }

  deleted(name: string): void {
    this.users.delete(name)
    for (const kind of KINDS) for (const gamemode of MODES) this.changed(name, kind, gamemode)
  }
}

const labelOf = (rarity: number) => RARITIES.find(({ value }) => value === rarity)?.label ?? ''
const plain = ({ name, rarity }: Listed): Listed => ({ name, ...(rarity === undefined ? {} : { rarity }) })
const entriesOf = (records: readonly CatchRecord[]) =>
  records.flatMap(({ id, entries }) => entries.map((entry) => ({ ...entry, id })))

/** Runs steps against a service, and compares each response with the model. */
class Play {
  private readonly model = new Model()
  private readonly seen = new Map<string, Seen>()
  private readonly lastEvents = new Map<string, { id: string; known: Set<number> }>()
  private count = 0
  private readonly service: TestService
  private readonly admin: AsAdmin

  constructor(service: TestService, admin: AsAdmin) {
    this.service = service
    this.admin = admin
    this.model.users.set('Alex', { ...service.alex, password: 'alex-password' })
  }

  async take(step: Step): Promise<void> {
    this.service.advance(1)
    await this.write(step)
    for (const reader of step.readers) await this.read(reader, step)
  }

  async finish(): Promise<void> {
    const all = { writer: 'reset' as const, rarities: [1], pick: 0, readers: [] }
    for (const name of this.model.users.keys()) {
      for (const kind of KINDS) {
        for (const gamemode of MODES) {
          for (const reader of READERS) await this.read(reader, { ...all, name, kind, gamemode })
        }
      }
    }
  }

  private async write(step: Step): Promise<void> {
    const { writer, name } = step
    const user = this.model.users.get(name) ?? (await this.createUser(name))
    const owned = this.model.records.filter((one) => this.model.isOwned(one))
    const picked = owned[step.pick % Math.max(1, owned.length)]
    if (writer === 'token' || writer === 'add') await this.add(user, step)
    else if (writer === 'delete') await this.deleteUser(name)
    else if (writer === 'reset') await this.resetKey(user)
    else if (picked === undefined) return
    else if (writer === 'replay') await this.replay(picked, step)
    else if (writer.startsWith('remove one')) await this.removeEntry(picked, step)
    else if (writer.startsWith('remove')) await this.remove(picked, step)
    else await this.move(picked, step)
  }

  private async createUser(name: string): Promise<User> {
    const user = { ...(await create(this.admin, name)) }
    this.model.users.set(name, user)
    return user
  }

  private async deleteUser(name: string): Promise<void> {
    expect((await this.admin('DELETE', `/admin/users/${name}`)).status).toBe(204)
    this.model.deleted(name)
    for (const gamemode of MODES) this.lastEvents.delete(`${name} ${gamemode}`)
    const gone = { headers: { 'if-none-match': '*' } }
    expect((await this.service.request(`/get/fish?name=${name}&gamemode=${MODES[0]}`, gone)).status).toBe(404)
  }

  private async resetKey(user: User): Promise<void> {
    const response = await this.admin('POST', `/admin/users/${user.name}/reset`, { type: 'fernet' })
    user.fernetKey = ((await response.json()) as { fernetKey: string }).fernetKey
  }

  private async add(owner: User, { writer, kind, gamemode, rarities }: Step): Promise<void> {
    const caughtAt = new Date(this.service.now()).toISOString()
    const sent = rarities.map((rarity) => ({
      name: `Catch ${this.count++}`,
      caughtAt,
      ...(kind === 'fish' && { rarity }),
    }))
    const payload = { [kind]: sent }
    // The payload has both lists, but each write path stores only the list of its own kind.
    const both = { fish: [{ name: 'x', rarity: 1 }], crab: [{}], ...payload }
    const token = writer === 'token' ? await createFernet(owner.fernetKey).encrypt(JSON.stringify(both)) : undefined
    const response =
      token === undefined
        ? await this.admin('POST', `/admin/users/${owner.name}/${kind}?gamemode=${gamemode}`, payload)
        : await post(this.service, kind, token, { query: `?name=${owner.name}`, gamemode })
    expect(response.status).toBe(201)
    const { id } = (await response.json()) as Saved
    const entries = sent.map(({ name, rarity }, entry) => ({
      name,
      ...(rarity !== undefined && { rarity: labelOf(rarity) }),
      entry,
      caughtAt,
    }))
    this.model.add({ id, owner, kind, entries, token, gamemode })
  }

  /** A token stays used: any repeated write is a replay, even after changes of the record and the key. */
  private async replay({ id, owner, token }: CatchRecord, { kind, gamemode }: Step): Promise<void> {
    if (token === undefined) return
    const response = await post(this.service, kind, token, { query: `?name=${owner.name}`, gamemode })
    expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, 'true'])
    expect(((await response.json()) as Saved).id).toBe(id)
  }

  private send(owner: User, { writer }: Step, method: string, path: string, body?: unknown): Promise<Response> {
    if (!writer.endsWith('as player')) return this.admin(method, `/admin/users/${owner.name}${path}`, body)
    return this.service.request(`/user${path}`, {
      method,
      headers: { authorization: basic(owner.name, owner.password), 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

  private async remove(record: CatchRecord, step: Step): Promise<void> {
    const { id, owner, kind } = record
    const { gamemode } = step
    const response = await this.send(owner, step, 'DELETE', `/${kind}/${id}?gamemode=${gamemode}`)
    expect(response.status).toBe(record.gamemode === gamemode ? 204 : 404)
    if (record.gamemode === gamemode) this.model.place(record, undefined)
  }

  private async removeEntry(record: CatchRecord, step: Step): Promise<void> {
    const { id, owner, kind } = record
    const { gamemode } = step
    const entry = step.rarities.length - 1
    const response = await this.send(owner, step, 'DELETE', `/${kind}/${id}?gamemode=${gamemode}&entry=${entry}`)
    const isStored = record.gamemode === gamemode
    const isEntry = isStored && record.entries.some((one) => one.entry === entry)
    if (isEntry) expect(response.status).toBe(204)
    else await expectError(response, isStored ? 'entry_not_found' : 'record_not_found')
    if (isEntry) this.model.removeEntry(record, entry)
  }

  private async move(record: CatchRecord, step: Step): Promise<void> {
    const { id, owner, kind } = record
    const [from, to] = [step.gamemode, step.gamemode === MODES[0] ? MODES[1] : MODES[0]] as [Gamemode, Gamemode]
    const response = await this.send(owner, step, 'POST', `/${kind}/${id}/move?gamemode=${from}`, { gamemode: to })
    // A move also succeeds if the record is already in the target gamemode.
    expect(response.status).toBe(record.gamemode === undefined ? 404 : 204)
    if (record.gamemode === from) this.model.place(record, to)
  }

  private async read(reader: (typeof READERS)[number], step: Step): Promise<void> {
    const { name, kind, gamemode } = step
    if (!this.model.users.has(name)) return
    const records = this.model.recordsOf(name, kind, gamemode)
    const detail = entriesOf(records)
    const path = `/get/${kind}?name=${name}&gamemode=${gamemode}`
    if (reader === 'whole') await this.readCached(path, step, { user: name, [kind]: detail.map(plain) })
    else if (reader === 'detail') await this.readCached(`${path}&detail=full`, step, { user: name, [kind]: detail })
    else if (reader === 'pages') await this.readPages(path, step, detail.map(plain))
    else if (reader === 'head') await this.readHead(path, step)
    else if (reader === 'summary') await this.readSummary(path, step, detail)
    else if (reader === 'events') await this.readEvents(name, gamemode)
    else if (reader === 'admin') {
      const response = await this.admin('GET', `/admin/users/${name}/${kind}?gamemode=${gamemode}`)
      expect(await response.json()).toEqual({ user: name, [kind]: detail })
    } else if (reader === 'stats') await this.readStats()
    else if (reader === 'user') await this.readUser(name)
    else await this.readLeaderboard(kind, gamemode)
  }

  /** Reads with the ETag of the last read, and expects 304 exactly while the collection has not changed. */
  private async readCached(path: string, step: Step, expected: unknown): Promise<Record<string, unknown>> {
    const { name, kind, gamemode } = step
    const change = this.model.change(name, kind, gamemode)
    const known = this.seen.get(path)
    if (known) {
      const again = await this.service.request(path, { headers: { 'if-none-match': known.etag } })
      expect([path, again.status]).toEqual([path, known.change === change ? 304 : 200])
      if (again.status === 200) expect(await again.json()).toEqual(expected)
    }
    const response = await this.service.request(path)
    const body = (await response.json()) as Record<string, unknown>
    expect([path, body]).toEqual([path, expected])
    const etag = String(response.headers.get('etag'))
    if (known?.change === change) expect(etag).toBe(known.etag)
    this.seen.set(path, { etag, change })
    return body
  }

  private async readHead(path: string, { name, kind, gamemode }: Step): Promise<void> {
    const known = this.seen.get(path)
    const response = await this.service.request(path, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
    const isSame = response.headers.get('etag') === known?.etag
    if (known) expect(isSame).toBe(known.change === this.model.change(name, kind, gamemode))
  }

  private async readPages(path: string, { kind, rarities }: Step, entries: readonly Listed[]): Promise<void> {
    const limit = rarities[0] ?? 1
    const pages: Listed[][] = []
    let cursor: string | undefined = ''
    while (cursor !== undefined) {
      const response = await this.service.request(`${path}&limit=${limit}${cursor && `&cursor=${cursor}`}`)
      expect(response.status).toBe(200)
      const page = (await response.json()) as Record<Kind, Listed[]> & { nextCursor?: string }
      pages.push(page[kind])
      cursor = page.nextCursor
      if (cursor !== undefined) expect(page[kind]).toHaveLength(limit)
    }
    expect(pages.flat()).toEqual(entries)
  }

  private async readSummary(path: string, step: Step, entries: readonly Listed[]): Promise<void> {
    const response = await this.service.request(`${path}&summary=species`)
    const { total, unique, species } = (await response.json()) as {
      total: number
      unique: number
      species: (Listed & { count: number })[]
    }
    const counts = Map.groupBy(entries, ({ name, rarity }) => `${name} ${rarity}`)
    expect([total, unique]).toEqual([entries.length, new Set(entries.map(({ name }) => name)).size])
    expect(species.map(({ name, rarity, count }) => [`${name} ${rarity}`, count]).sort()).toEqual(
      [...counts].map(([key, same]) => [key, same.length]).sort(),
    )
    expect([step.kind, response.status]).toEqual([step.kind, 200])
  }

  /** Resumes after the last event, and expects every existing new catch exactly once. */
  private async readEvents(name: string, gamemode: Gamemode): Promise<void> {
    const key = `${name} ${gamemode}`
    const last = this.lastEvents.get(key)
    const headers: Record<string, string> = last ? { 'last-event-id': last.id } : {}
    const response = await this.service.request(`/events?name=${name}&gamemode=${gamemode}&follow=false`, { headers })
    const events = await readEvents(response).rest()
    const present = KINDS.flatMap((kind) => this.model.recordsOf(name, kind, gamemode))
    const names = events.flatMap(({ event, data }) => (event === 'catch' ? [(data as Listed).name] : []))
    const missed = last ? present.filter(({ arrival }) => !last.known.has(arrival)) : []
    expect([key, names.sort()]).toEqual([
      key,
      entriesOf(missed)
        .map((entry) => entry.name)
        .sort(),
    ])
    const id = events.findLast((event) => event.id !== undefined)?.id
    if (id) this.lastEvents.set(key, { id, known: new Set(present.map(({ arrival }) => arrival)) })
  }

  private async readStats(): Promise<void> {
    const stats = (await (await this.admin('GET', '/admin/stats')).json()) as {
      users: number
      fish: { total: number; byGamemode: object; byRarity: object }
      crab: { total: number; byGamemode: object }
    }
    const entries = (kind: Kind, gamemode?: Gamemode) =>
      [...this.model.users.keys()].flatMap((name) =>
        MODES.filter((one) => gamemode === undefined || one === gamemode).flatMap((one) =>
          entriesOf(this.model.recordsOf(name, kind, one)),
        ),
      )
    const byGamemode = (kind: Kind) => Object.fromEntries(GAMEMODES.map((one) => [one, entries(kind, one).length]))
    const byRarity = Object.fromEntries(
      RARITIES.map(({ label }) => [label, entries('fish').filter(({ rarity }) => rarity === label).length]),
    )
    expect(stats).toEqual({
      users: this.model.users.size,
      fish: { total: entries('fish').length, byGamemode: byGamemode('fish'), byRarity },
      crab: { total: entries('crab').length, byGamemode: byGamemode('crab') },
    })
  }

  private async readLeaderboard(kind: Kind, gamemode: Gamemode): Promise<void> {
    for (const one of [undefined, gamemode]) {
      const query = `type=${kind}${one ? `&gamemode=${one}` : ''}`
      const { leaderboard } = (await (await this.admin('GET', `/admin/leaderboard?${query}`)).json()) as {
        leaderboard: { name: string; count: number }[]
      }
      const leaders = [...this.model.users.values()]
        .map(({ id, name }) => {
          const places = one ? [one] : MODES
          return {
            id,
            name,
            count: places.flatMap((place) => entriesOf(this.model.recordsOf(name, kind, place))).length,
          }
        })
        .filter(({ count }) => count > 0)
        .sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1))
      expect([query, leaderboard]).toEqual([query, leaders.map(({ name, count }) => ({ name, count }))])
    }
  }

  private async readUser(name: string): Promise<void> {
    const timesOf = (kind: Kind) =>
      MODES.flatMap((gamemode) =>
        entriesOf(this.model.recordsOf(name, kind, gamemode)).map(({ caughtAt }) => caughtAt ?? ''),
      )
    const [fish, crab] = [timesOf('fish'), timesOf('crab')]
    const { totals, lastCatch } = (await (await this.admin('GET', `/admin/users/${name}`)).json()) as UserDetails
    const latest = [...fish, ...crab].sort().at(-1)
    expect([name, totals, lastCatch?.at]).toEqual([name, { fish: fish.length, crab: crab.length }, latest])
  }
}

/** Tests all reads after random sequences of writes. */
export function secondStepsBehaviour(open: OpenService, { runs }: { readonly runs: number }): void {
  describe('after any sequence of writes, removals, moves, replays, resets and deletions', () => {
    it('every read, page, summary, event, count and ETag matches the model', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30, size: 'max' }), async (steps) => {
          const service = await open(FREE)
          const play = new Play(service, await asRoot(service))
          for (const each of steps) await play.take(each)
          await play.finish()
        }),
        // The run fails if a sequence hangs or shrinking takes long. Even a busy machine needs only a fifth of this
        // time.
        { numRuns: runs, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true },
      )
    }, 120_000)
  })
}
