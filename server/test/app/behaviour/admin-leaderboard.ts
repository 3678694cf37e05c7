import type { Stats } from '@fish-crab/sdk/contract'
import { describe, expect, it } from 'vitest'
import { type AsAdmin, asRoot } from '../administration.ts'
import { expectError } from '../errors.ts'
import { type OpenService, UNLIMITED } from '../test-service.ts'

async function add(admin: AsAdmin, name: string, count: number, gamemode = 'earth', kind = 'fish'): Promise<string> {
  const entries = Array.from({ length: count }, () => ({ name: 'x', ...(kind === 'fish' ? { rarity: 1 } : {}) }))
  const response = await admin('POST', `/admin/users/${name}/${kind}?gamemode=${gamemode}`, { [kind]: entries })
  expect(response.status).toBe(201)
  return ((await response.json()) as { id: string }).id
}

async function createUsers(admin: AsAdmin, names: readonly string[]): Promise<void> {
  for (const name of names) expect((await admin('POST', '/admin/users', { name })).status).toBe(201)
}

async function board(admin: AsAdmin, query = 'type=fish'): Promise<string[]> {
  const response = await admin('GET', `/admin/leaderboard?${query}`)
  expect(response.status).toBe(200)
  const { leaderboard } = (await response.json()) as { leaderboard: { name: string; count: number }[] }
  return leaderboard.map(({ name, count }) => `${name} ${count}`)
}

/** Who has caught the most, and how much there is in all. */
export function adminLeaderboardBehaviour(open: OpenService): void {
  describe('the leaderboard', () => {
    it('is empty where nobody caught anything, and names what was asked', async () => {
      const admin = await asRoot(await open())
      const all = await admin('GET', '/admin/leaderboard?type=fish')
      expect(await all.json()).toEqual({ type: 'fish', leaderboard: [] })
      const one = await admin('GET', '/admin/leaderboard?type=crab&gamemode=earth')
      expect(await one.json()).toEqual({ type: 'crab', gamemode: 'earth', leaderboard: [] })
    })

    it('is best first, by entries rather than by records, for each kind and gamemode', async () => {
      const admin = await asRoot(await open(UNLIMITED))
      await createUsers(admin, ['Bob', 'cleo'])
      await add(admin, 'Alex', 2)
      await add(admin, 'Alex', 2)
      await add(admin, 'Bob', 5)
      await add(admin, 'cleo', 10, 'survival')
      await add(admin, 'cleo', 1)
      await add(admin, 'Alex', 3, 'oneblock', 'crab')
      expect(await board(admin)).toEqual(['cleo 11', 'Bob 5', 'Alex 4'])
      expect(await board(admin, 'type=fish&gamemode=earth')).toEqual(['Bob 5', 'Alex 4', 'cleo 1'])
      expect(await board(admin, 'type=crab')).toEqual(['Alex 3'])
      expect(await board(admin, 'type=crab&gamemode=earth')).toEqual([])
    })

    it('names as many as asked, 10 when nothing is said, and the same ones of a tie each time', async () => {
      const service = await open(UNLIMITED)
      const admin = await asRoot(service)
      const names = Array.from({ length: 12 }, (_, index) => `User${index}`)
      for (const name of names) {
        service.advance(1)
        await createUsers(admin, [name])
      }
      for (const name of names.toReversed()) await add(admin, name, 2)
      await add(admin, 'Alex', 1)
      const tied = names.map((name) => `${name} 2`)
      expect(await board(admin)).toEqual(tied.slice(0, 10))
      expect(await board(admin, 'type=fish&limit=1')).toEqual(tied.slice(0, 1))
      expect(await board(admin, 'type=fish&gamemode=earth&limit=3')).toEqual(tied.slice(0, 3))
      expect(await board(admin, 'type=fish&limit=1000')).toEqual([...tied, 'Alex 1'])
    })

    it('has no deleted user, none whose records were removed, and starts again for a reused name', async () => {
      const admin = await asRoot(await open(UNLIMITED))
      await createUsers(admin, ['Bob', 'cleo'])
      for (const name of ['Alex', 'Bob', 'cleo']) await add(admin, name, 2)
      const id = await add(admin, 'cleo', 9)
      await admin('DELETE', '/admin/users/Alex')
      await admin('DELETE', `/admin/users/cleo/fish/${id}?gamemode=earth`)
      expect((await board(admin)).sort()).toEqual(['Bob 2', 'cleo 2'])
      expect(await board(admin, 'type=fish&limit=2')).toHaveLength(2)
      await createUsers(admin, ['ALEX'])
      expect((await board(admin)).sort()).toEqual(['Bob 2', 'cleo 2'])
      await add(admin, 'alex', 3)
      expect((await board(admin, 'type=fish&limit=1')).sort()).toEqual(['ALEX 3'])
    })

    it.each([
      ['', 'type'],
      ['type=Fish', 'type'],
      ['type=all', 'type'],
      ['type=fish&gamemode=moon', 'gamemode'],
      ['type=fish&limit=0', 'limit'],
      ['type=fish&limit=1001', 'limit'],
      ['type=fish&limit=x', 'limit'],
      ['type=fish&limit=0x10', 'limit'],
      ['type=fish&type=crab', 'type'],
      ['type=fish&gamemode=earth&gamemode=factions', 'gamemode'],
    ])('refuses the query "%s"', async (query, path) => {
      const admin = await asRoot(await open())
      const { details } = await expectError(await admin('GET', `/admin/leaderboard?${query}`), 'invalid_query')
      expect(details?.map((detail) => detail.path)).toEqual([path])
    })
  })

  describe('the stats', () => {
    it('name every gamemode and rarity, also those that there is none of', async () => {
      const admin = await asRoot(await open())
      const stats = (await (await admin('GET', '/admin/stats')).json()) as Stats
      expect(stats.users).toBe(1)
      expect(stats.fish.total + stats.crab.total).toBe(0)
      expect(Object.keys(stats.fish.byRarity)).toHaveLength(7)
      expect(Object.keys(stats.fish.byGamemode)).toHaveLength(4)
      expect(Object.keys(stats.crab.byGamemode)).toHaveLength(4)
    })
  })
}
