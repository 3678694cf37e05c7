import type { Profile } from '@fish-crab/sdk/contract'
import { profileSchema } from '@fish-crab/sdk/contract'
import { wrapDriver } from '@fish-crab/server/storage'
import { describe, expect, test } from 'vitest'
import { createMemoryDriver } from '../../src/storage/memory/memory.ts'
import { write } from './catches.ts'
import { createMemoryService } from './memory-service.ts'
import { UNLIMITED } from './test-service.ts'

const DAY = 24 * 60 * 60 * 1000
const NOW = Date.UTC(2026, 0, 31, 12)
const day = (ago: number) => new Date(NOW - ago * DAY).toISOString()
const READ = '/get/profile?name=Alex'

async function openService() {
  const service = await createMemoryService({ ...UNLIMITED, startAt: NOW })
  const read = async (query = '', headers = {}) => service.request(`${READ}${query}`, { headers })
  const profile = async (query = '') => profileSchema.parse(await (await read(query)).json()) as Profile
  return { service, read, profile, wait: service.advance }
}

describe('the profile of a player', () => {
  test('counts the catches of all gamemodes, and omits times if there are no catches', async () => {
    const { profile } = await openService()
    const figures = { total: 0, unique: 0 }
    expect(await profile()).toEqual({
      user: 'Alex',
      ...figures,
      byRarity: expect.objectContaining({ Mythical: 0, 'Unknown/Other': 0 }),
      gamemodes: ['oneblock', 'earth', 'survival', 'factions'].map((gamemode) => ({
        gamemode,
        fish: figures,
        crab: figures,
      })),
      rarest: [],
      latest: [],
      days: [],
      streak: { current: 0, longest: 0 },
    })
  })

  test('counts a species once across all gamemodes, and sorts the rarest species by rarity, then by count', async () => {
    const { service, profile, wait } = await openService()
    const fish = (gamemode: string, entries: readonly object[]) =>
      write(service, 'fish', { fish: entries }, { gamemode })
    await fish('earth', [
      { name: 'Koi', rarity: 3, caughtAt: day(3) },
      { name: 'Koi', rarity: 3, caughtAt: day(2) },
      { name: 'Cod', rarity: 3, caughtAt: day(2) },
      { name: 'Boot', rarity: 5, caughtAt: day(2) },
    ])
    wait(1000)
    await fish('survival', [
      { name: 'Koi', rarity: 3, caughtAt: day(9) },
      { name: 'Leviathan', rarity: 7, caughtAt: day(8) },
      { name: 'Marlin', rarity: 6, caughtAt: day(8) },
      { name: 'Pike', rarity: 1, caughtAt: day(8) },
    ])
    wait(1000)
    await write(service, 'crab', { crab: [{ caughtAt: day(0) }] }, { gamemode: 'earth' })
    const { rarest, latest, gamemodes, ...totals } = await profile()
    expect(totals).toMatchObject({
      total: 9,
      unique: 7,
      firstCaughtAt: day(9),
      lastCaughtAt: day(0),
      byRarity: { Gold: 4, Mythical: 1 },
      days: [
        { day: '2026-01-22', count: 1 },
        { day: '2026-01-23', count: 3 },
        { day: '2026-01-28', count: 1 },
        { day: '2026-01-29', count: 3 },
        { day: '2026-01-31', count: 1 },
      ],
      bestDay: { day: '2026-01-23', count: 3 },
      streak: { current: 1, longest: 2 },
    })
    expect(rarest.map(({ name, count }) => `${name} ${count}`)).toEqual([
      ...['Leviathan 1', 'Marlin 1', 'Cod 1', 'Koi 3', 'Pike 1'],
    ])
    expect(latest.map(({ kind, gamemode, name }) => `${kind} ${gamemode} ${name}`)).toEqual([
      'crab earth crab',
      ...['Pike', 'Marlin', 'Leviathan', 'Koi'].map((name) => `fish survival ${name}`),
    ])
    expect(gamemodes.find(({ gamemode }) => gamemode === 'earth')).toEqual({
      gamemode: 'earth',
      fish: { total: 4, unique: 3, lastCaughtAt: day(2) },
      crab: { total: 1, unique: 1, lastCaughtAt: day(0) },
    })
  })

  test('lists the latest entries in the order in which they were stored, even if the clock is set back', async () => {
    const { service, profile, wait } = await openService()
    for (const [name, gamemode] of [
      ['Cod', 'earth'],
      ['Koi', 'survival'],
      ['Pike', 'earth'],
      ['Eel', 'factions'],
    ] as const) {
      await write(service, 'fish', { fish: [{ name, rarity: 1 }] }, { gamemode })
      wait(-DAY)
    }
    expect((await profile()).latest.map(({ name }) => name)).toEqual(['Eel', 'Pike', 'Koi', 'Cod'])
  })

  test('lists every species by gamemode on request', async () => {
    const { service, profile } = await openService()
    await write(service, 'fish', { fish: [{ name: 'Koi', rarity: 3, caughtAt: day(3) }] })
    const { gamemodes } = await profile('&species=true')
    const earth = gamemodes.find(({ gamemode }) => gamemode === 'earth')
    expect(earth?.fish.species).toEqual([
      { name: 'Koi', rarity: 'Gold', count: 1, firstCaughtAt: day(3), lastCaughtAt: day(3) },
    ])
    expect(earth?.crab.species).toEqual([])
  })

  test('has a streak that lasts until the day after the last catch', async () => {
    const { service, read, profile, wait } = await openService()
    const entries = [5, 4, 2, 1].map((ago) => ({ name: 'Koi', rarity: 3, caughtAt: day(ago) }))
    await write(service, 'fish', { fish: entries })
    expect((await profile()).streak).toEqual({ current: 2, longest: 2 })
    const tag = (await read()).headers.get('etag') ?? ''
    expect((await read('', { 'if-none-match': tag })).status).toBe(304)
    wait(DAY)
    expect((await read('', { 'if-none-match': tag })).status).toBe(200)
    expect((await profile()).streak).toEqual({ current: 0, longest: 2 })
  })

  test('changes after a removal, and has different ETags for the responses with and without species', async () => {
    const { service, read, profile } = await openService()
    await write(service, 'fish', { fish: [{ name: 'Koi', rarity: 3, caughtAt: day(1) }] })
    const tags = await Promise.all(['', '&species=true'].map(async (query) => (await read(query)).headers.get('etag')))
    expect(new Set(tags).size).toBe(2)
    const [latest] = (await profile()).latest
    const headers = { authorization: `Basic ${btoa('Alex:alex-password')}` }
    await service.request(`/user/fish/${latest?.id}?gamemode=earth`, { method: 'DELETE', headers })
    expect(await profile()).toMatchObject({ total: 0, latest: [], days: [], streak: { current: 0, longest: 0 } })
  })

  test('requires the name of an existing player', async () => {
    const { service } = await openService()
    const codeOf = async (path: string) => (await (await service.request(path)).json()).code
    expect(await codeOf('/get/profile')).toBe('missing_name')
    expect(await codeOf('/get/profile?name=Nobody')).toBe('user_not_found')
    expect(await codeOf('/get/profile?name=Alex&species=maybe')).toBe('invalid_query')
  })

  test('works with many gamemodes that each contain the maximum number of species', async () => {
    const species = Array.from({ length: 10_000 }, (_, at) => {
      return { name: `Fish ${at}`, label: 'Gold', count: 1, first: NOW, last: NOW, mark: null }
    })
    const tallies = { count: 10_000, species, days: [] }
    const storage = wrapDriver({ ...createMemoryDriver(), collectionTallies: async () => tallies })
    const gamemodes = Array.from({ length: 30 }, (_, at) => `mode${at}`)
    const service = await createMemoryService({ ...UNLIMITED, storage, gamemodes })
    const { total, unique } = (await (await service.request(READ)).json()) as Profile
    expect([total, unique]).toEqual([600_000, 20_000])
  })

  describe('with a collection beyond a maximum', () => {
    async function openLarge(entryOf: (at: number) => object) {
      const opened = await openService()
      const entries = Array.from({ length: 10_001 }, (_, at) => ({ rarity: 3, ...entryOf(at) }))
      for (let at = 0; at < entries.length; at += 500) {
        await write(opened.service, 'fish', { fish: entries.slice(at, at + 500) })
      }
      const other = { fish: [{ name: 'Koi', rarity: 7, caughtAt: day(1) }] }
      await write(opened.service, 'fish', other, { gamemode: 'survival' })
      return opened
    }
    const survival = { total: 1, unique: 1, lastCaughtAt: day(1) }

    test('keeps all figures but those of the species of a collection with more than 10,000 species', async () => {
      const { profile } = await openLarge((at) => ({ name: `Fish ${at}`, caughtAt: day(at % 2) }))
      for (const query of ['', '&species=true']) {
        const { gamemodes, rarest, ...totals } = await profile(query)
        const of = (gamemode: string) => gamemodes.find((one) => one.gamemode === gamemode)?.fish
        expect(of('earth')).toEqual({ total: 10_001, lastCaughtAt: day(0), complete: false })
        expect(of('survival')).toMatchObject(survival)
        expect(rarest.map(({ name }) => name)).toEqual(['Koi'])
        expect(totals).toMatchObject({
          total: 10_002,
          byRarity: { Gold: 10_001, Mythical: 1 },
          lastCaughtAt: day(0),
          bestDay: { day: '2026-01-30', count: 5001 },
          streak: { current: 2, longest: 2 },
        })
      }
    })

    test('keeps all figures but those of the days of a collection with more than 10,000 days', async () => {
      const { profile } = await openLarge((at) => ({ name: 'Cod', caughtAt: day(at) }))
      const { gamemodes, rarest, ...totals } = await profile('&species=true')
      const of = (gamemode: string) => gamemodes.find((one) => one.gamemode === gamemode)?.fish
      expect(of('earth')).toEqual({ total: 10_001, lastCaughtAt: day(0), complete: false })
      expect(of('survival')).toMatchObject(survival)
      expect(rarest.map(({ name }) => name)).toEqual(['Koi', 'Cod'])
      expect(totals).toMatchObject({
        total: 10_002,
        unique: 2,
        byRarity: { Gold: 10_001, Mythical: 1 },
        firstCaughtAt: day(10_000),
        bestDay: { day: '2026-01-30', count: 1 },
      })
    })
  })
})
