import { ValidationError } from '@fish-crab/sdk'
import { FernetError } from '@fish-crab/sdk/fernet'
import { type OutboxClient, type OutboxEvent, type OutboxOptions, openOutbox } from '@fish-crab/sdk/outbox'
import { expect, it } from 'vitest'
import { fakeService, fish, lost, numbers, refusal } from './fake-service.ts'

const ALEX = 'fish/Alex/earth'

async function open(options: OutboxOptions = {}) {
  const service = fakeService()
  const events: OutboxEvent[] = []
  const outbox = await openOutbox({
    clientFor: () => service.client(),
    gamemode: 'earth',
    path: ':memory:',
    onEvent: (event) => events.push(event),
    ...options,
  })
  const add = (user: string, from: number, to = from) => outbox.add(fish(from, to).map((one) => ({ ...one, user })))
  const refuse = (code: Parameters<typeof refusal>[0], name: string) => {
    service.before = ({ names }) => {
      if (names.includes(name)) throw refusal(code)
    }
  }
  return { outbox, service, events, add, refuse }
}

it.each(['invalid_payload', 'payload_too_large'] as const)(
  'flush() finds the one catch that causes %s by halving the batch, and delivers the remaining catches in order',
  async (code) => {
    const { outbox, service, events, add, refuse } = await open()
    await add('Alex', 1, 100)
    refuse(code, '73')
    const report = await outbox.flush()
    expect(report).toMatchObject({ delivered: 99, rejected: 1, remaining: 0, stopped: [] })
    expect(service.names(ALEX)).toEqual([...numbers(1, 72), ...numbers(74, 100)])
    expect(service.requests.length).toBeLessThanOrEqual(16)
    const [batch] = await outbox.deadLetters()
    expect(batch).toMatchObject({
      collection: { kind: 'fish', user: 'Alex', gamemode: 'earth' },
      reason: { code },
      count: 1,
      catches: [{ entry: { name: '73' } }],
    })
    expect(batch?.reason.message).toContain('failed')
    expect(report.deadLetters).toMatchObject([{ id: batch?.id, count: 1, reason: { code } }])
    expect(events).toContainEqual(expect.objectContaining({ type: 'rejected', id: batch?.id, count: 1 }))
  },
)

it('flush() finds several invalid catches in one batch', async () => {
  const { outbox, service, add } = await open()
  await add('Alex', 1, 40)
  const bad = ['1', '2', '17', '40']
  service.before = ({ names }) => {
    if (names.some((name) => bad.includes(name))) throw refusal('invalid_payload')
  }
  expect(await outbox.flush()).toMatchObject({ delivered: 36, rejected: 4 })
  expect((await outbox.deadLetters()).map(({ catches }) => catches[0]?.entry.name)).toEqual(bad)
})

it('flush() halves a batch that the client rejects as too large', async () => {
  const service = fakeService()
  const honest = service.client()
  const client = {
    ...honest,
    fish: {
      ...honest.fish,
      encrypt: async (entries: readonly unknown[], target: object) => {
        if (entries.length > 3) throw new ValidationError([{ path: 'fish', message: 'Too large.' }])
        return honest.fish.encrypt(entries as never, target)
      },
    },
  } as unknown as OutboxClient
  const { outbox, add } = await open({ clientFor: () => client })
  await add('Alex', 1, 10)
  expect(await outbox.flush()).toMatchObject({ delivered: 10, rejected: 0 })
  expect(service.names(ALEX)).toEqual(numbers(1, 10))
})

it.each(['user_not_found', 'user_mismatch', 'unsupported_media_type'] as const)(
  'flush() moves a whole collection to the dead letters after one %s response, and delivers the remaining collections',
  async (code) => {
    const { outbox, service, add } = await open({ maxBatch: 2 })
    await add('Alex', 1, 5)
    await add('Sam', 1, 3)
    service.before = ({ user }) => {
      if (user === 'Alex') throw refusal(code)
    }
    expect(await outbox.flush()).toMatchObject({ delivered: 3, rejected: 5, remaining: 0, stopped: [] })
    expect(service.requests.filter(({ user }) => user === 'Alex')).toHaveLength(1)
    expect(await outbox.deadLetters()).toMatchObject([{ count: 5, reason: { code } }])
  },
)

it.each([
  ['no key', new ValidationError([{ path: 'fernetKey', message: 'Needed to add catches.' }]), 'invalid_input'],
  ['an invalid key', new FernetError('Invalid key.', { code: 'invalid_key' }), 'invalid_key'],
])('flush() moves catches to the dead letters without a request if the client has %s', async (_, error, code) => {
  const service = fakeService()
  const client = { fish: { ...service.client().fish, encrypt: () => Promise.reject(error) } } as unknown as OutboxClient
  const { outbox, add } = await open({ clientFor: () => client })
  await add('Alex', 1, 2)
  expect(await outbox.flush()).toMatchObject({ rejected: 2 })
  expect(service.requests).toEqual([])
  expect(await outbox.deadLetters()).toMatchObject([{ reason: { code } }])
})

it('after retry(), a dead letter is delivered at its original position', async () => {
  const { outbox, service, add } = await open()
  await add('Alex', 1, 3)
  service.before = () => {
    throw refusal('user_not_found')
  }
  await outbox.flush()
  service.before = () => {}
  await add('Alex', 4)
  expect(await outbox.retry((await outbox.deadLetters()).map(({ id }) => id))).toBe(3)
  expect(await outbox.flush()).toMatchObject({ delivered: 4 })
  expect(service.names(ALEX)).toEqual(['1', '2', '3', '4'])
  expect(await outbox.retry()).toBe(0)
})

it('drop() deletes dead letters', async () => {
  const { outbox, add, refuse } = await open()
  await add('Alex', 1, 2)
  refuse('invalid_payload', '1')
  await outbox.flush()
  const [batch] = await outbox.deadLetters()
  expect(await outbox.drop(batch?.id ?? 0)).toBe(1)
  expect(await outbox.deadLetters()).toEqual([])
  expect(await outbox.status()).toMatchObject({ pending: 0, rejected: 0 })
})

it('flush() re-encrypts a batch that was sent before the key was reset', async () => {
  const { outbox, service, add } = await open()
  await add('Alex', 1, 2)
  service.before = () => {
    throw lost()
  }
  await outbox.flush()
  service.before = () => {}
  service.key = 'key-2'
  expect(await outbox.flush()).toMatchObject({ delivered: 2, rejected: 0 })
  expect(service.names(ALEX)).toEqual(['1', '2'])
})

it('no catch is stored twice if the response was lost before the key was reset', async () => {
  const { outbox, service, add } = await open()
  await add('Alex', 1, 2)
  service.after = () => {
    throw lost()
  }
  await outbox.flush()
  service.after = () => {}
  service.key = 'key-2'
  expect(await outbox.flush()).toMatchObject({ delivered: 2 })
  expect(service.names(ALEX)).toEqual(['1', '2'])
})

it('flush() moves catches to the dead letters if the key is wrong, and delivers these catches after the key is corrected and retry() is called', async () => {
  let key = 'wrong'
  const service = fakeService()
  const { outbox, add } = await open({ clientFor: () => service.client(key) })
  await add('Alex', 1, 2)
  expect(await outbox.flush()).toMatchObject({ rejected: 2, stopped: [] })
  expect(service.requests).toHaveLength(1)
  key = service.key
  await outbox.retry()
  expect(await outbox.flush()).toMatchObject({ delivered: 2 })
})

it('flush() replaces a token that is too old, and preserves the time at which the catch was made', async () => {
  const { outbox, service, add } = await open()
  await add('Alex', 1)
  service.before = () => {
    throw lost()
  }
  await outbox.flush()
  const old = service.requests[0]?.token
  service.before = ({ token }) => {
    if (token === old) throw refusal('token_expired')
  }
  const [before] = await outbox.peek()
  expect(await outbox.flush()).toMatchObject({ delivered: 1 })
  expect(service.entries(ALEX)).toEqual([before?.entry])
})

it('flush() keeps catches queued if even a new token is too old, because then the clock is wrong', async () => {
  const { outbox, service, add } = await open()
  await add('Alex', 1)
  service.before = () => {
    throw refusal('token_expired')
  }
  expect(await outbox.flush()).toMatchObject({
    remaining: 1,
    rejected: 0,
    stopped: [{ error: { code: 'token_expired' } }],
  })
})
