import { createClient } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { GAMEMODES } from '@fish-crab/sdk/constants'
import { describe, expect, it } from 'vitest'
import { findLatestPlace } from '../../web/src/admin/data/records.ts'
import { loadLatest, searchedGamemodes } from '../../web/src/data/latest-gamemode.ts'
import { createMemoryService } from '../app/memory-service.ts'

/** A service in which Alex has caught a fish in oneblock, then 75 fish in earth, then a crab in survival. */
async function openService({ requests: limit = 25 } = {}) {
  const { app, root } = await createMemoryService({ rateLimit: { requests: limit, windowMs: 300_000 } })
  const requests: string[] = []
  const fetch = (async (input: string, init: RequestInit) => {
    requests.push(input)
    return app.fetch(new Request(input, init))
  }) as typeof globalThis.fetch
  const options = { baseUrl: 'http://service.test', fetch, maxWaitMs: 0, maxRetries: 0, pace: false }
  const admin = createAdminClient({ ...options, ...root })
  const cod = (day: number) => ({ name: 'Cod', rarity: 'Bronze' as const, caughtAt: `2025-01-0${day}T00:00:00.000Z` })
  await admin.fish.add('Alex', cod(1), { gamemode: 'oneblock' })
  await admin.fish.add('Alex', Array(75).fill(cod(3)), { gamemode: 'earth' })
  await admin.fish.add('Alex', cod(2), { gamemode: 'survival' })
  requests.length = 0
  return { client: createClient({ ...options, env: {} }), admin, requests }
}
const { signal } = new AbortController()

describe('the gamemode that a page opens', () => {
  it('is that of the latest catch, and all counts are known', async () => {
    const { client, admin, requests } = await openService()
    const { gamemode, collection, counts } = await loadLatest(client, 'alex', GAMEMODES, signal)
    expect([gamemode, collection.user, collection.fish.total]).toEqual(['earth', 'Alex', 75])
    expect([...counts]).toEqual(
      GAMEMODES.map((one) => [one, { oneblock: 1, earth: 75, survival: 1 }[one as string] ?? 0]),
    )
    expect(requests).toHaveLength(8)
    await admin.crabs.add('Alex', [{ caughtAt: '2025-01-04T00:00:00.000Z' }], { gamemode: 'survival' })
    expect((await loadLatest(client, 'Alex', GAMEMODES, signal)).gamemode).toBe('survival')
  })

  it('is the usual one where nothing was caught', async () => {
    const { client, admin } = await openService()
    await admin.users.create({ name: 'Mia' })
    expect((await loadLatest(client, 'Mia', searchedGamemodes(GAMEMODES, 'earth'), signal)).gamemode).toBe('earth')
  })

  it('costs two requests if there is no such player, or if the service has many gamemodes', async () => {
    const { client, requests } = await openService()
    await expect(loadLatest(client, 'Nobody', GAMEMODES, signal)).rejects.toMatchObject({ code: 'user_not_found' })
    expect(requests).toHaveLength(2)
    const many = ['earth', 'a', 'b', 'c', 'd'] as const
    expect(searchedGamemodes(many, 'a')).toEqual(['a'])
  })

  it('is the usual one if the rate limit leaves no search, so that the page shows something', async () => {
    const { client, requests } = await openService({ requests: 7 })
    expect((await loadLatest(client, 'Alex', GAMEMODES, signal)).gamemode).toBe('oneblock')
    expect(requests).toHaveLength(2)
  })

  it('is the same for administrators, with the kind of the catch', async () => {
    const { admin } = await openService()
    const find = (kinds: readonly ('fish' | 'crab')[]) =>
      findLatestPlace(admin, { player: 'Alex', kinds, gamemodes: GAMEMODES })
    expect(await find(['fish', 'crab'])).toEqual({ player: 'Alex', kind: 'fish', gamemode: 'earth' })
    await admin.crabs.add('Alex', [{ caughtAt: '2025-01-04T00:00:00.000Z' }], { gamemode: 'survival' })
    expect(await find(['fish', 'crab'])).toEqual({ player: 'Alex', kind: 'crab', gamemode: 'survival' })
    expect(await find(['fish'])).toMatchObject({ kind: 'fish', gamemode: 'earth' })
  })
})
