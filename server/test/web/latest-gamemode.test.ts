import { createClient } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { describe, expect, it } from 'vitest'
import { latestGamemode, totalOf } from '../../web/src/data/cabinet.ts'
import { loadPlayer } from '../../web/src/data/load.ts'
import { createMemoryService } from '../app/memory-service.ts'

/** A service in which Alex caught one fish in oneblock, then one fish in survival, then 75 fish in earth. */
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
  it('is the gamemode of the latest catch, and needs only one request', async () => {
    const { client, admin, requests } = await openService()
    const { cabinet } = await loadPlayer('alex')(client, signal)
    expect([cabinet.user, latestGamemode(cabinet)]).toEqual(['Alex', 'earth'])
    expect(cabinet.gamemodes.map((one) => totalOf(one))).toEqual([1, 75, 1, 0])
    expect(requests).toHaveLength(1)
    await admin.crabs.add('Alex', [{ caughtAt: '2025-01-04T00:00:00.000Z' }], { gamemode: 'survival' })
    expect(latestGamemode((await loadPlayer('Alex')(client, signal)).cabinet)).toBe('survival')
  })

  it('is not determined for an unknown player, and the load fails', async () => {
    const { client } = await openService()
    await expect(loadPlayer('Nobody')(client, signal)).rejects.toMatchObject({ code: 'user_not_found' })
  })
})
