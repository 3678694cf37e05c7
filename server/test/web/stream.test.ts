import { type Client, createClient } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { expect, it, onTestFinished } from 'vitest'
import type { StreamEvent } from '../../web/src/data/follow.ts'
import { loadPlayer } from '../../web/src/data/load.ts'
import { type Caught, collectionOf, totalOf } from '../../web/src/data/profile.ts'
import { openStream } from '../../web/src/data/stream.ts'
import { createMemoryService } from '../app/memory-service.ts'

const COD = { name: 'Cod', rarity: 'Bronze' } as const

async function openService() {
  const { app, root } = await createMemoryService()
  const requests: string[] = []
  const fetch = (async (input: string, init: RequestInit) => {
    requests.push(new URL(input).pathname)
    return app.fetch(new Request(input, init))
  }) as typeof globalThis.fetch
  const options = { baseUrl: 'http://service.test', fetch, maxWaitMs: 0, maxRetries: 0, pace: false }
  const admin = createAdminClient({ ...options, ...root })
  await admin.fish.add('Alex', Array(75).fill(COD), { gamemode: 'earth' })
  await admin.fish.add('Alex', COD, { gamemode: 'survival' })
  requests.length = 0
  return { client: createClient({ ...options, env: {} }), admin, requests }
}

it('a load reads all gamemodes of a player with one request, and fails for an unknown player', async () => {
  const { client, requests } = await openService()
  const { signal } = new AbortController()
  const { profile } = await loadPlayer('alex')(client, signal)
  expect([profile.user, ...profile.gamemodes.map((one) => totalOf(one))]).toEqual(['Alex', 0, 75, 1, 0])
  expect(requests).toHaveLength(1)
  await expect(loadPlayer('Nobody')(client, signal)).rejects.toMatchObject({ code: 'user_not_found' })
})

it('a collection whose species are not listed is loaded with its total', async () => {
  const { client } = await openService()
  const { user, gamemodes, ...profile } = await client.profile({ user: 'Alex' })
  const collections = gamemodes.map((one) => ({ ...one, fish: { total: one.fish.total, complete: false } }))
  const unlisted = { profile: async () => ({ user, gamemodes: collections, ...profile }) } as unknown as Client
  const loaded = await loadPlayer(user)(unlisted, new AbortController().signal)
  expect(collectionOf(loaded.profile).fish).toEqual({ total: 76, unique: undefined, species: [] })
})

it('one stream delivers the catches of a player in all gamemodes', async () => {
  const { client, admin, requests } = await openService()
  const caught: Caught[] = []
  const [connected, delivered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const close = openStream(client, { user: 'Alex' })((event) => {
    if (event.type === 'connected') connected.resolve()
    if (event.type === 'caught' && caught.push(event.caught) === 2) delivered.resolve()
  })
  await connected.promise
  await admin.fish.add('Alex', COD, { gamemode: 'survival' })
  await admin.crabs.add('Alex', {}, { gamemode: 'oneblock' })
  await delivered.promise
  close()
  expect(new Set(caught.map(({ kind, gamemode }) => `${kind} ${gamemode}`))).toEqual(
    new Set(['fish survival', 'crab oneblock']),
  )
  expect(requests.filter((path) => path === '/v1/events' || path === '/events')).toHaveLength(1)
})

it.each([
  [429, 'rate_limited', 'limited'],
  [503, 'too_many_streams', 'streams'],
  [503, 'unavailable', undefined],
] as const)('a stream that is refused with %i %s ends with the reason %s', async (status, code, refusal) => {
  const refuse = async () => Response.json({ error: 'Refused.', code, requestId: 'a' }, { status })
  const client = createClient({ baseUrl: 'http://service.test', env: {}, fetch: refuse, maxWaitMs: 0, maxRetries: 0 })
  const ended = Promise.withResolvers<StreamEvent>()
  openStream(client, { user: 'Alex' })(ended.resolve)
  expect(await ended.promise).toEqual({ type: 'ended', refusal })
})

it('a sixth stream of a browser is not opened, and ends because too many pages are open', async () => {
  const { client, requests } = await openService()
  const listen = openStream(client, { user: 'Alex' })
  const open = () => {
    const connected = Promise.withResolvers<void>()
    const close = listen(({ type }) => type === 'connected' && connected.resolve())
    onTestFinished(close)
    return connected.promise
  }
  for (let stream = 0; stream < 5; stream += 1) await open()
  const ended = Promise.withResolvers<StreamEvent>()
  listen(ended.resolve)
  expect(await ended.promise).toEqual({ type: 'ended', refusal: 'pages' })
  expect(requests).toHaveLength(5)
})
