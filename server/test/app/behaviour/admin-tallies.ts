import {
  type CreatedUser,
  GAMEMODES,
  type Gamemode,
  KINDS,
  type Kind,
  RARITY_LABELS,
  type Saved,
} from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AsAdmin, asRoot } from '../administration.ts'
import { type Listed, post } from '../catches.ts'
import { type OpenService, type TestService, UNLIMITED } from '../test-service.ts'

const FREE = { ...UNLIMITED, adminRateLimit: UNLIMITED.rateLimit }
const NAMES = ['Alex', 'Bob', 'cleo', 'Dan']

interface Caught {
  readonly owner: string
  readonly kind: Kind
  readonly gamemode: Gamemode
  readonly id: string
  readonly token?: string
}

const step = fc.record({
  action: fc.constantFrom('token', 'token', 'token', 'plain', 'replay', 'remove', 'remove', 'recreate', 'delete'),
  user: fc.nat(NAMES.length - 1),
  kind: fc.constantFrom(...KINDS),
  gamemode: fc.constantFrom(...GAMEMODES),
  rarities: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
  pick: fc.nat(),
})
type Step = Readonly<typeof step extends fc.Arbitrary<infer Value> ? Value : never>

/** Plays random operations over HTTP. */
class Play {
  private readonly users = new Map<string, CreatedUser>()
  private caught: Caught[] = []
  private readonly service: TestService
  private readonly admin: AsAdmin

  constructor(service: TestService, admin: AsAdmin) {
    this.service = service
    this.admin = admin
    this.users.set('Alex', service.alex)
  }

  async take(step: Step): Promise<void> {
    const name = NAMES[step.user] ?? ''
    const known = this.users.get(name)
    if (step.action === 'delete' || (step.action === 'recreate' && known)) return this.drop(name)
    const user = known ?? (await this.create(name))
    const picked = this.caught[step.pick % Math.max(1, this.caught.length)]
    if (step.action === 'token') await this.write(user, step)
    else if (step.action === 'plain') await this.add(user, step)
    else if (step.action === 'replay' && picked?.token) await this.replay(picked, picked.token)
    else if (step.action === 'remove' && picked) await this.remove(picked)
  }

  private async create(name: string): Promise<CreatedUser> {
    const user = (await (await this.admin('POST', '/admin/users', { name })).json()) as CreatedUser
    this.users.set(name, user)
    return user
  }

  private async drop(name: string): Promise<void> {
    await this.admin('DELETE', `/admin/users/${name}`)
    this.users.delete(name)
    this.caught = this.caught.filter(({ owner }) => owner !== name)
  }

  private async write({ name, fernetKey }: CreatedUser, { kind, gamemode, rarities }: Step): Promise<void> {
    const token = await createFernet(fernetKey).encrypt(JSON.stringify({ [kind]: entriesOf(kind, rarities) }))
    const response = await post(this.service, kind, token, { query: `?name=${name}`, gamemode })
    expect(response.status).toBe(201)
    this.caught.push({ owner: name, kind, gamemode, token, id: ((await response.json()) as Saved).id })
  }

  private async add({ name }: CreatedUser, { kind, gamemode, rarities }: Step): Promise<void> {
    const path = `/admin/users/${name}/${kind}?gamemode=${gamemode}`
    const response = await this.admin('POST', path, { [kind]: entriesOf(kind, rarities) })
    expect(response.status).toBe(201)
    this.caught.push({ owner: name, kind, gamemode, id: ((await response.json()) as Saved).id })
  }

  private async replay({ owner, kind, gamemode, id }: Caught, token: string): Promise<void> {
    const response = await post(this.service, kind, token, { query: `?name=${owner}`, gamemode })
    expect([response.status, ((await response.json()) as Saved).id]).toEqual([200, id])
  }

  private async remove({ owner, kind, gamemode, id }: Caught): Promise<void> {
    const { status } = await this.admin('DELETE', `/admin/users/${owner}/${kind}/${id}?gamemode=${gamemode}`)
    // Its token stays, so that it is also sent again after the removal.
    expect([204, 404]).toContain(status)
  }
}

const entriesOf = (kind: Kind, rarities: readonly number[]) =>
  rarities.map((rarity) => ({ name: 'x', ...(kind === 'fish' ? { rarity } : {}) }))

/** Reads every collection there is, and counts. */
async function recount(admin: AsAdmin) {
  const { users } = (await (await admin('GET', '/admin/users')).json()) as { users: { id: string; name: string }[] }
  const rows: { id: string; name: string; kind: Kind; gamemode: Gamemode; entries: Listed[] }[] = []
  for (const { id, name } of users) {
    for (const kind of KINDS) {
      for (const gamemode of GAMEMODES) {
        const response = await admin('GET', `/admin/users/${name}/${kind}?gamemode=${gamemode}`)
        rows.push({ id, name, kind, gamemode, entries: ((await response.json()) as Record<Kind, Listed[]>)[kind] })
      }
    }
  }
  const count = (kind: Kind, gamemode?: string, rarity?: string) =>
    rows
      .filter((row) => row.kind === kind && (gamemode === undefined || row.gamemode === gamemode))
      .reduce((sum, { entries }) => sum + entries.filter((e) => !rarity || e.rarity === rarity).length, 0)
  const by = (keys: readonly string[], one: (key: string) => number) =>
    Object.fromEntries(keys.map((key) => [key, one(key)]))
  const stats = {
    users: users.length,
    fish: {
      total: count('fish'),
      byGamemode: by(GAMEMODES, (gamemode) => count('fish', gamemode)),
      byRarity: by(RARITY_LABELS, (rarity) => count('fish', undefined, rarity)),
    },
    crab: { total: count('crab'), byGamemode: by(GAMEMODES, (gamemode) => count('crab', gamemode)) },
  }
  const leaders = (kind: Kind, gamemode?: string) =>
    users
      .map(({ id, name }) => {
        const own = rows.filter((row) => row.id === id && row.kind === kind && (!gamemode || row.gamemode === gamemode))
        return { id, name, count: own.reduce((sum, { entries }) => sum + entries.length, 0) }
      })
      .filter((leader) => leader.count > 0)
      .sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1))
      .map((leader) => ({ name: leader.name, count: leader.count }))
  return { stats, leaders }
}

/** Counts that are kept rather than made: they never drift from what is stored. */
export function adminTalliesBehaviour(open: OpenService): void {
  describe('the counts of all there is', () => {
    it('equal a recount after random writes, replays, removals and deletions', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), async (steps) => {
          const service = await open(FREE)
          const admin = await asRoot(service)
          const play = new Play(service, admin)
          for (const one of steps) {
            await play.take(one)
            service.advance(1)
          }
          const { stats, leaders } = await recount(admin)
          expect(await (await admin('GET', '/admin/stats')).json()).toEqual(stats)
          for (const type of KINDS) {
            for (const gamemode of [undefined, ...GAMEMODES]) {
              const query = `type=${type}${gamemode ? `&gamemode=${gamemode}` : ''}`
              const board = await (await admin('GET', `/admin/leaderboard?${query}`)).json()
              expect(board).toEqual({ type, ...(gamemode ? { gamemode } : {}), leaderboard: leaders(type, gamemode) })
            }
          }
        }),
        { numRuns: 6 },
      )
    }, 30_000)

    it('equal a recount after many operations at once', async () => {
      const service = await open(FREE)
      const admin = await asRoot(service)
      const play = new Play(service, admin)
      const plain: Step = { action: 'plain', user: 0, kind: 'fish', gamemode: 'earth', rarities: [1, 7], pick: 0 }
      const adds = Array.from({ length: 20 }, () => play.take(plain))
      await Promise.all([...adds, ...Array.from({ length: 10 }, () => play.take({ ...plain, action: 'token' }))])
      await Promise.all(
        Array.from({ length: 30 }, (_, pick) => play.take({ ...plain, action: 'remove', pick: pick % 9 })),
      )
      const { stats } = await recount(admin)
      expect(stats.fish.total).toBe(42)
      expect(await (await admin('GET', '/admin/stats')).json()).toEqual(stats)
    })
  })
}
