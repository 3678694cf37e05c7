import { createClient } from '@fish-crab/sdk'
import { type FlushProgress, type OutboxEvent, type OutboxOptions, openOutbox } from '@fish-crab/sdk/outbox'
import { expect, it } from 'vitest'
import { player, saved } from '../client/stubs.ts'
import { jumpingClock, settle, standingClock } from './clocks.ts'
import { fakeService, fish, limited, lost, numbers, refusal } from './fake-service.ts'

const ALEX = 'fish/Alex/earth'

async function open(options: OutboxOptions = {}) {
  const service = fakeService()
  const { clock, slept, advance } = jumpingClock()
  const events: OutboxEvent[] = []
  const outbox = await openOutbox({
    client: service.client(),
    gamemode: 'earth',
    path: ':memory:',
    clock,
    random: () => 0,
    onEvent: (event) => events.push(event),
    ...options,
  })
  const add = (user: string, from: number, to = from) => outbox.add(fish(from, to).map((one) => ({ ...one, user })))
  return { outbox, service, clock, slept, advance, events, add }
}

it('flush() sends catches in order, in batches by user, gamemode and kind, and deletes delivered catches', async () => {
  const { outbox, service, add } = await open()
  await add('Alex', 1, 600)
  await add('Sam', 1)
  await add('ALEX', 601)
  await outbox.add([
    { kind: 'crab', user: 'Alex' },
    { kind: 'fish', name: 'Koi', rarity: 2, user: 'Alex', gamemode: 'survival' },
  ])
  const report = await outbox.flush()
  expect(report).toMatchObject({ delivered: 604, rejected: 0, remaining: 0, stopped: [], withoutClient: [] })
  expect(service.names(ALEX)).toEqual(numbers(1, 601))
  expect(service.names('fish/Alex/survival')).toEqual(['Koi'])
  expect(service.entries('crab/Alex/earth')).toHaveLength(1)
  expect(service.requests.map(({ names }) => names.length)).toEqual([500, 1, 1, 1, 101])
  expect(await outbox.status()).toMatchObject({ pending: 0, rejected: 0 })
})

it('flush() keeps a batch under the size limit for request bodies, even if the names are long', async () => {
  const { outbox, service } = await open()
  const name = '𝕂'.repeat(100)
  await outbox.add(Array.from({ length: 500 }, () => ({ kind: 'fish', name, rarity: 1, user: 'Alex' }) as const))
  await outbox.flush()
  expect(service.requests.length).toBeGreaterThan(1)
  for (const { names } of service.requests) {
    const entry = { name, rarity: 1, caughtAt: new Date(0).toISOString() }
    const plain = JSON.stringify({ user: 'Alex', gamemode: 'earth', fish: names.map(() => entry) })
    expect((Buffer.byteLength(plain) + 16 + 57) * (4 / 3)).toBeLessThan(256 * 1024 + 64)
  }
})

it('flush() reports its progress, and emits an event for every step', async () => {
  const { outbox, events, add } = await open({ maxBatch: 2 })
  await add('Alex', 1, 3)
  const progress: FlushProgress[] = []
  await outbox.flush({ onProgress: (one) => progress.push(one) })
  expect(progress).toEqual([
    { delivered: 2, rejected: 0, remaining: 1 },
    { delivered: 3, rejected: 0, remaining: 0 },
  ])
  const collection = { kind: 'fish', user: 'Alex', gamemode: 'earth' }
  expect(events).toEqual([
    { type: 'added', added: 3, duplicates: 0 },
    { type: 'sending', collection, count: 2, again: false },
    { type: 'delivered', collection, count: 2, id: 'record-1', replayed: false },
    { type: 'sending', collection, count: 1, again: false },
    { type: 'delivered', collection, count: 1, id: 'record-2', replayed: false },
  ])
})

it('flush() resends the token of the lost request after a lost response, so that no catch is stored twice', async () => {
  const { outbox, service, events, add } = await open()
  await add('Alex', 1, 2)
  service.after = () => {
    throw lost()
  }
  const { stopped, remaining } = await outbox.flush()
  expect(remaining).toBe(2)
  expect(stopped).toMatchObject([{ collection: { user: 'Alex' }, error: { code: 'connection_error' } }])
  expect(await outbox.status()).toMatchObject({ pending: 2 })

  service.after = () => {}
  await add('Alex', 3)
  expect(await outbox.flush()).toMatchObject({ delivered: 3, remaining: 0, stopped: [] })
  expect(service.names(ALEX)).toEqual(['1', '2', '3'])
  expect(service.requests[1]?.token).toBe(service.requests[0]?.token)
  expect(events).toContainEqual(expect.objectContaining({ type: 'delivered', id: 'record-1', replayed: true }))
})

it.each([
  ['a failing server', refusal('storage_error')],
  ['a proxy that requires credentials', refusal('invalid_credentials')],
  ['another service at the address', refusal('not_found')],
  ['an unknown response', Object.assign(refusal('forbidden'), { code: 'unknown' })],
  ['an unexpected error', new TypeError('oops')],
])('flush() keeps catches queued because of %s, and continues with other collections', async (_, error) => {
  const { outbox, service, add } = await open()
  await add('Alex', 1)
  await add('Sam', 1)
  service.before = ({ user }) => {
    if (user === 'Alex') throw error
  }
  expect(await outbox.flush()).toMatchObject({
    delivered: 1,
    remaining: 1,
    stopped: [{ collection: { user: 'Alex' }, error }],
  })
  expect(await outbox.status()).toMatchObject({ pending: 1, rejected: 0 })
  service.before = () => {}
  expect(await outbox.flush()).toMatchObject({ delivered: 1, remaining: 0 })
})

it('if the server does not respond, flush() sends a single request instead of one request per collection', async () => {
  const { outbox, service, add } = await open()
  for (const user of ['Alex', 'Sam', 'Kim']) await add(user, 1)
  service.before = () => {
    throw lost()
  }
  expect((await outbox.flush()).stopped).toHaveLength(3)
  expect(service.requests).toHaveLength(1)
})

it('flush() waits until the rate limit ends, emits a waiting event, and then delivers all catches', async () => {
  const { outbox, service, clock, slept, events, add } = await open({ maxBatch: 1 })
  await add('Alex', 1, 3)
  const resetAt = clock.now() + 100_000
  service.before = () => {
    if (service.requests.length > 1 && clock.now() < resetAt) throw limited(resetAt)
  }
  expect(await outbox.flush()).toMatchObject({ delivered: 3, stopped: [] })
  expect(slept).toEqual([100_000])
  expect(events).toContainEqual(expect.objectContaining({ type: 'waiting', until: new Date(resetAt) }))
  expect(service.names(ALEX)).toEqual(['1', '2', '3'])
  expect(service.requests).toHaveLength(4)
})

it('flush() stops before a wait longer than maxWaitMs, and returns the end of that wait', async () => {
  const { outbox, service, clock, slept, add } = await open()
  await add('Alex', 1)
  await add('Sam', 1)
  const resetAt = clock.now() + 100_000
  service.before = () => {
    throw limited(resetAt)
  }
  const { stopped } = await outbox.flush({ maxWaitMs: 99_000 })
  expect(stopped).toMatchObject([{ retryAt: new Date(resetAt) }, { retryAt: new Date(resetAt) }])
  expect(slept).toEqual([])
  expect(service.requests).toHaveLength(1)
})

it('flush() never sends requests in a tight loop, even if the reported reset time has passed', async () => {
  const { outbox, service, slept, add } = await open()
  await add('Alex', 1)
  service.before = () => {
    if (service.requests.length <= 3) throw limited(0)
  }
  await outbox.flush()
  expect(slept).toEqual([1000, 1000, 1000])
})

it('flush() sends the catches of users that have a client, and keeps the catches of all other users', async () => {
  const service = fakeService()
  const { outbox, add } = await open({
    client: undefined,
    clientFor: async (user) => (user === 'Alex' ? service.client() : undefined),
  })
  await add('Alex', 1)
  await add('Sam', 1)
  expect(await outbox.flush()).toMatchObject({ delivered: 1, remaining: 1, withoutClient: [{ user: 'Sam' }] })
})

it('an outbox with the client of one user sends only the catches of that user, and ignores the letter case of the user name', async () => {
  const { outbox, service, add } = await open({ user: 'Alex' })
  await add('alex', 1)
  await add('Sam', 1)
  expect(await outbox.flush()).toMatchObject({ delivered: 1, remaining: 1, withoutClient: [{ user: 'Sam' }] })
  expect(service.requests).toHaveLength(1)
})

it('flush() keeps the catches of a user whose client cannot be created yet', async () => {
  const { outbox, add } = await open({
    client: undefined,
    clientFor: () => {
      throw lost()
    },
  })
  await add('Alex', 1)
  expect(await outbox.flush()).toMatchObject({ remaining: 1, stopped: [{ error: { code: 'connection_error' } }] })
})

it('flush() immediately rejects when the call is aborted during a request or a wait', async () => {
  const { clock } = standingClock()
  const { outbox, service, add } = await open({ clock })
  await add('Alex', 1)
  service.before = () => new Promise(() => {})
  const aborted = new AbortController()
  const flushing = outbox.flush({ signal: aborted.signal })
  await new Promise(setImmediate)
  expect(service.requests).toHaveLength(1)
  aborted.abort(new Error('enough'))
  await expect(flushing).rejects.toThrow('enough')

  service.before = () => {
    throw limited(clock.now() + 60_000)
  }
  const second = new AbortController()
  const waiting = outbox.flush({ signal: second.signal })
  await new Promise(setImmediate)
  second.abort(new Error('enough again'))
  await expect(waiting).rejects.toThrow('enough again')
  service.before = () => {}
  expect(await outbox.flush()).toMatchObject({ delivered: 1 })
  await expect(outbox.flush({ signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before')
})

it('concurrent flush() calls run one after another', async () => {
  const { outbox, service, add } = await open()
  await add('Alex', 1)
  service.before = () => settle()
  const [first, second] = await Promise.all([outbox.flush(), outbox.flush()])
  expect([first.delivered, second.delivered]).toEqual([1, 0])
  expect(service.requests).toHaveLength(1)
})

it('close() waits for the response to a request in flight, and no further requests are sent', async () => {
  const { outbox, service, add } = await open({ maxBatch: 1 })
  await add('Alex', 1, 2)
  let respond = () => {}
  service.after = () =>
    new Promise<void>((resolve) => {
      respond = resolve
    })
  const flushing = outbox.flush()
  const failed = expect(flushing).rejects.toMatchObject({ code: 'outbox_closed' })
  await new Promise(setImmediate)
  const closing = outbox.close()
  respond()
  await closing
  await failed
  expect(service.requests).toHaveLength(1)
})

it('close() stops waiting for the response if the signal passed to close() aborts', async () => {
  const { outbox, service, add } = await open()
  await add('Alex', 1)
  service.before = () => new Promise(() => {})
  const failed = expect(outbox.flush()).rejects.toThrow('now')
  await new Promise(setImmediate)
  const now = new AbortController()
  const closing = outbox.close({ signal: now.signal })
  now.abort(new Error('now'))
  await closing
  await failed
})

it('an outbox declared with await using is closed at the end of its block', async () => {
  let leaked: Awaited<ReturnType<typeof openOutbox>>
  {
    await using outbox = await openOutbox({ path: ':memory:' })
    leaked = outbox
  }
  await expect(leaked.status()).rejects.toMatchObject({ code: 'outbox_closed' })
})

it('after a lost connection, flush() retries as many times as the client retries', async () => {
  const broken = new TypeError('fetch failed', { cause: new Error('read ECONNRESET') })
  const { options, requests, slept } = player(broken, broken, saved())
  const { outbox, add } = await open({ client: createClient(options) })
  await add('Alex', 1)
  expect(await outbox.flush()).toMatchObject({ delivered: 1, remaining: 0, stopped: [] })
  expect(new Set(requests.map(({ init }) => init.body)).size).toBe(1)
  expect(slept).toEqual([500, 1000])
})
