import { join } from 'node:path'
import { createClient } from '@fish-crab/sdk'
import { type AdminClient, createAdminClient } from '@fish-crab/sdk/admin'
import { expect, onTestFinished, test } from 'vitest'
import { describeWithRedis, startCluster, startRedis } from '../../scripts/test-support/redis-server.ts'
import { newFolder } from './folders.ts'
import { run, startService } from './harness.ts'

const ADMIN = { username: 'root', password: 'canary-admin-password' }
const SECRETS = {
  FISH_SECRET: 'the secret of the beginning, long',
  FISH_JWT_SECRET: 'the secret of sessions, long enough',
  FISH_ADMIN_USERNAME: ADMIN.username,
  FISH_ADMIN_PASSWORD: ADMIN.password,
}
const EVENTS = '/events?name=Alex&gamemode=earth'
const EARTH = { gamemode: 'earth' } as const
const RARITIES = ['Gold', 'Mythical', 'Bronze'] as const
const SPECIES = ['Cod', 'cod', 'Koi', '鯉', '__proto__', 'constructor']

/** A generator of the same numbers in each run, so that failures are reproducible. */
function pseudoRandom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

/** Adds and removes random catches, and checks the summaries in between. */
async function change(admin: AdminClient, url: string, seed: number): Promise<void> {
  const next = pseudoRandom(seed)
  for (let round = 0; round < 12; round += 1) {
    const fish = Array.from({ length: 1 + next(6) }, () => ({
      name: SPECIES[next(SPECIES.length)] as string,
      rarity: RARITIES[next(RARITIES.length)] as (typeof RARITIES)[number],
      caughtAt: new Date(Date.UTC(2026, next(12), 1 + next(28))).toISOString(),
    }))
    const added = await Promise.all([
      admin.fish.add('Alex', fish, EARTH),
      admin.crabs.add('Alex', [{}, { name: 'Hermit' }], EARTH),
      admin.fish.add('Alex', fish.slice(0, 1), EARTH),
    ])
    if (next(2) === 0) await admin.fish.delete('Alex', added[0].id, EARTH)
    if (next(3) === 0) await admin.crabs.delete('Alex', added[1].id, EARTH)
    if (next(2) === 0) await expectRecount(url)
  }
}

/** Expects the summaries of a service to match its collections. */
async function expectRecount(url: string) {
  const client = createClient({ baseUrl: url, user: 'Alex', ...EARTH })
  const lists = { fish: await client.fish.list({ detail: 'full' }), crabs: await client.crabs.list({ detail: 'full' }) }
  const listed = { fish: lists.fish.fish, crabs: lists.crabs.crab }
  for (const kind of ['fish', 'crabs'] as const) {
    const counted = new Map<string, { count: number; times: string[] }>()
    for (const entry of listed[kind]) {
      const key = JSON.stringify([entry.name, 'rarity' in entry ? entry.rarity : ''])
      const { count, times } = counted.get(key) ?? { count: 0, times: [] }
      counted.set(key, { count: count + 1, times: [...times, entry.caughtAt].sort() })
    }
    const { total, unique, species } = await client[kind].summary()
    const summarized = species.map((one) => [
      JSON.stringify([one.name, 'rarity' in one ? one.rarity : '']),
      { count: one.count, first: one.firstCaughtAt, last: one.lastCaughtAt },
    ])
    const expected = [...counted].map(([key, { count, times }]) => [
      key,
      { count, first: times[0], last: times.at(-1) },
    ])
    expect([kind, total, unique]).toEqual([
      kind,
      listed[kind].length,
      new Set(listed[kind].map(({ name }) => name)).size,
    ])
    expect(new Map(summarized as [string, unknown][])).toEqual(new Map(expected as [string, unknown][]))
  }
}

async function serve(storage: string) {
  const server = await startService({ ...SECRETS, FISH_STORAGE: storage, FISH_ADMIN_RATE_LIMIT: '10000' })
  const admin = createAdminClient({ baseUrl: server.url, ...ADMIN })
  return { server, admin, url: server.url }
}

async function maintain(args: readonly string[], storage: string): Promise<void> {
  const { status, stderr } = await run(args, { env: { ...SECRETS, FISH_STORAGE: storage } })
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.any(String) })
}

/** Returns the id of an event from which a stream of the store can continue. */
async function eventIdOf(url: string): Promise<string> {
  const response = await fetch(`${url}${EVENTS}&follow=false`)
  return /^id: (.+)$/m.exec(await response.text())?.[1] ?? ''
}

async function statusWith(url: string, eventId: string): Promise<number> {
  const response = await fetch(`${url}${EVENTS}&follow=false`, { headers: { 'last-event-id': eventId } })
  await response.text()
  return response.status
}

describeWithRedis('a restored backup, and its copies in a file, a Redis and a Cluster', () => {
  test('have summaries equal to a recount, and reject earlier event ids', async () => {
    const [redis, cluster] = [await startRedis(), await startCluster()]
    onTestFinished(async () => {
      await Promise.all([redis, ...cluster].map((server) => server.stop()))
    })
    const folder = newFolder()
    const backup = join(folder, 'backup')
    const first = await serve(`file:${join(folder, 'data')}`)
    await first.admin.users.create({ name: 'Alex' })
    await change(first.admin, first.url, 1)
    await expectRecount(first.url)
    const eventId = await eventIdOf(first.url)
    expect(await statusWith(first.url, eventId)).toBe(200)
    await maintain(['backup', backup], `file:${join(folder, 'data')}`)
    await first.server.close()

    const restored = `file:${join(folder, 'restored')}`
    await maintain(['restore', backup], restored)
    const nodes = cluster.map(({ port }) => `127.0.0.1:${port}`).join(',')
    const copies = [`file:${join(folder, 'copied')}`, redis.url, `redis-cluster://${nodes}`]
    for (const storage of copies) await maintain(['copy', `file:${backup}`, storage], '')
    for (const [index, storage] of [restored, ...copies].entries()) {
      const { server, admin, url } = await serve(storage)
      await expectRecount(url)
      expect([storage, await statusWith(url, eventId)]).toEqual([storage, 400])
      await change(admin, url, 2 + index)
      await expectRecount(url)
      await server.close()
    }
  })
})
