import { createMock, type Mock } from '@fish-crab/mocks'
import { type CaughtEntry, createClient, NotFoundError, type RemovedRecord } from '@fish-crab/sdk'
import { createAdminClient } from '@fish-crab/sdk/admin'
import { expect, it, onTestFinished } from 'vitest'

const ROOT = { username: 'root', password: 'root-password' }
const SEED = { users: [{ name: 'Alex' }, { name: 'Bea' }], admins: [ROOT] }
const START = Date.UTC(2026, 0, 1)

async function openMock(): Promise<Mock> {
  const mock = await createMock({ seed: SEED, startAt: START, limits: { requests: 10_000 } })
  onTestFinished(() => mock.close())
  return mock
}

const clientOf = (mock: Mock, options: Parameters<typeof createClient>[0] = {}) =>
  createClient({ ...mock.client('Alex'), gamemode: 'earth', ...options })

/** Collects the entries of a watch in the background. */
function collect(watching: AsyncGenerator<CaughtEntry, void, undefined>) {
  const entries: CaughtEntry[] = []
  let failure: unknown
  const done = (async () => {
    for await (const entry of watching) entries.push(entry)
  })().catch((error: unknown) => {
    failure = error
  })
  return {
    entries,
    done,
    get failure() {
      return failure
    },
    names: () => entries.map(({ name }) => name),
  }
}

const opened = (mock: Mock) => mock.requests.filter(({ route, status }) => route === 'events' && status === 200).length

it('watch() yields each entry when the entry is stored, with the kind, id and time', async () => {
  const mock = await openMock()
  const client = clientOf(mock)
  await client.fish.add({ name: 'before', rarity: 'Gold' })
  const controller = new AbortController()
  const watch = collect(client.watch({ signal: controller.signal }))
  await expect.poll(() => opened(mock)).toBe(1)
  const { id } = await client.fish.add([
    { name: 'Cod', rarity: 'Gold' },
    { name: 'Koi', rarity: 2 },
  ])
  await client.crabs.add()
  await expect.poll(() => watch.entries).toHaveLength(3)
  expect(watch.entries).toEqual([
    {
      kind: 'fish',
      gamemode: 'earth',
      name: 'Cod',
      rarity: 'Gold',
      id,
      entry: 0,
      caughtAt: expect.any(String),
      eventId: expect.any(String),
    },
    {
      kind: 'fish',
      gamemode: 'earth',
      name: 'Koi',
      rarity: 'Silver',
      id,
      entry: 1,
      caughtAt: expect.any(String),
      eventId: expect.any(String),
    },
    {
      kind: 'crab',
      gamemode: 'earth',
      name: 'crab',
      id: expect.any(String),
      entry: 0,
      caughtAt: expect.any(String),
      eventId: expect.any(String),
    },
  ])
  controller.abort(new Error('enough'))
  await watch.done
  expect(watch.failure).toMatchObject({ message: 'enough' })
})

it('watch() ends when the caller stops the iteration', async () => {
  const mock = await openMock()
  const client = clientOf(mock)
  const watching = client.watch({ kind: 'crab' })
  const first = watching.next()
  await expect.poll(() => opened(mock)).toBe(1)
  await client.fish.add({ name: 'Cod', rarity: 1 })
  await client.crabs.add({ name: 'Hermit' })
  expect((await first).value).toMatchObject({ kind: 'crab', name: 'Hermit' })
  await watching.return()
  expect(await watching.next()).toEqual({ done: true, value: undefined })
})

it('watch() reports removed records', async () => {
  const mock = await openMock()
  const client = clientOf(mock)
  const removed: RemovedRecord[] = []
  const watch = collect(client.watch({ kind: 'fish', onRemoved: (record) => removed.push(record) }))
  await expect.poll(() => opened(mock)).toBe(1)
  const { id } = await client.fish.add([
    { name: 'Cod', rarity: 1 },
    { name: 'Koi', rarity: 2 },
  ])
  await expect.poll(watch.names).toEqual(['Cod', 'Koi'])
  const admin = createAdminClient({ baseUrl: mock.origin, fetch: mock.fetch, clock: mock.clock, ...ROOT })
  await admin.fish.delete('Alex', id, { gamemode: 'earth' })
  await expect.poll(() => removed).toEqual([{ kind: 'fish', gamemode: 'earth', id }])
  expect(watch.names()).toEqual(['Cod', 'Koi'])
})

it('watch() reconnects after an interrupted stream, without missed or repeated entries', async () => {
  const mock = await openMock()
  const client = clientOf(mock)
  const watch = collect(client.watch({ signal: AbortSignal.timeout(30_000) }))
  await expect.poll(() => opened(mock)).toBe(1)
  await client.fish.add({ name: 'a', rarity: 1 })
  await expect.poll(watch.names).toEqual(['a'])
  mock.fail('reset-after-headers', { on: 'events' })
  // Closing the mock ends its streams, as stopping a server would.
  await mock.close()
  await client.fish.add({ name: 'b', rarity: 1 })
  await expect
    .poll(async () => {
      await mock.clock.advance(1000)
      return watch.names()
    })
    .toEqual(['a', 'b'])
  await client.fish.add({ name: 'c', rarity: 1 })
  await expect.poll(watch.names).toEqual(['a', 'b', 'c'])
})

it('watch() polls if streams always end early, and misses no entries', async () => {
  const mock = await openMock()
  let streams = 0
  const client = clientOf(mock, {
    fetch: async (input, init) => {
      const response = await mock.fetch(input, init)
      if (!String(input).includes('/events?') || String(input).includes('follow=false')) return response
      streams += 1
      // Simulate a proxy that ends every response after the first chunk.
      const reader = response.body?.getReader()
      const piece = await reader?.read()
      await reader?.cancel()
      return new Response(piece?.value, response)
    },
  })
  const watch = collect(client.watch({ signal: AbortSignal.timeout(30_000) }))
  const stored: string[] = []
  for (let round = 0; round < 12; round += 1) {
    const name = `fish ${round}`
    if (round >= 1) {
      await client.fish.add({ name, rarity: 1 })
      stored.push(name)
    }
    await expect
      .poll(async () => {
        await mock.clock.advance(8000)
        return watch.names()
      })
      .toEqual(stored)
  }
  expect(streams).toBe(3)
  const polls = mock.requests.filter(({ query }) => query.follow === 'false')
  expect(polls.length).toBeGreaterThan(3)
})

it('watch() continues after the event id of a known entry, but rejects an event id from a different gamemode', async () => {
  const mock = await openMock()
  const client = clientOf(mock)
  const watch = collect(client.watch())
  await expect.poll(() => opened(mock)).toBe(1)
  for (const name of ['a', 'b', 'c']) await client.fish.add({ name, rarity: 1 })
  await expect.poll(watch.names).toEqual(['a', 'b', 'c'])
  const since = watch.entries[0]?.eventId
  const again = collect(client.watch({ since }))
  await expect.poll(again.names).toEqual(['b', 'c'])
  const other = collect(client.watch({ since, gamemode: 'survival' }))
  await other.done
  expect(other.failure).toMatchObject({ name: 'BadRequestError', code: 'invalid_event_id' })
})

it('watch() rejects an unknown user, and rejects invalid options before any request', async () => {
  const mock = await openMock()
  const client = clientOf(mock)
  const unknown = collect(client.watch({ user: 'nobody' }))
  await unknown.done
  expect(unknown.failure).toBeInstanceOf(NotFoundError)
  const sent = mock.requests.length
  for (const options of [
    { kind: 'whale' as 'fish' },
    { since: 'a b' },
    { gamemode: 'Moon' },
    { onRemoved: 'log' as never },
    { knd: 'fish' } as object,
  ]) {
    const wrong = collect(client.watch(options))
    await wrong.done
    expect(wrong.failure).toMatchObject({ name: 'ValidationError' })
  }
  expect(mock.requests.length).toBe(sent)
})
