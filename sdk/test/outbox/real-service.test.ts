import { generateFernetKey } from '@fish-crab/sdk/fernet'
import { openOutbox } from '@fish-crab/sdk/outbox'
import { expect, it } from 'vitest'
import { fish, numbers } from './fake-service.ts'
import { realService } from './real-service.ts'

async function open(options: Parameters<typeof realService>[0] = {}) {
  const service = await realService(options)
  const keys = new Map<string, string>()
  const outbox = await openOutbox({
    clientFor: (user) => service.client(user, keys.get(user) ?? ''),
    gamemode: 'earth',
    path: ':memory:',
    maxBatch: 10,
    clock: service.clock,
    random: () => 0,
  })
  const add = (user: string, from: number, to: number) => outbox.add(fish(from, to).map((one) => ({ ...one, user })))
  return { service, outbox, keys, add }
}

it('flush() delivers 600 catches within the rate limit of the service, and the service refuses no request', async () => {
  const { service, outbox, keys, add } = await open({ rateLimit: { requests: 25, windowMs: 300_000 } })
  keys.set('Alex', (await service.app.users.create({ name: 'Alex' })).fernetKey)
  await add('Alex', 1, 600)
  expect(await outbox.flush()).toMatchObject({ delivered: 600, remaining: 0, stopped: [] })
  expect(service.statuses.filter((status) => status !== 201)).toEqual([])
  expect(service.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(610_000)
  service.advance(300_000)
  expect(await service.names('Alex')).toEqual(numbers(1, 600))
})

it('flush() moves the catches of an unknown user to the dead letters, and delivers them after retry() once the user exists', async () => {
  const { service, outbox, keys, add } = await open()
  keys.set('Alex', generateFernetKey())
  await add('Alex', 1, 20)
  expect(await outbox.flush()).toMatchObject({ rejected: 20 })
  expect(await outbox.deadLetters()).toMatchObject([{ reason: { code: 'user_not_found' } }])
  const { fernetKey } = await service.admin.users.create({ name: 'Alex' })
  keys.set('Alex', fernetKey)
  await outbox.retry()
  expect(await outbox.flush()).toMatchObject({ delivered: 20 })
  expect(await service.names('Alex')).toEqual(numbers(1, 20))
})

it('no catch is stored twice if a key is reset between a lost response and the retry', async () => {
  const { service, outbox, keys, add } = await open()
  keys.set('Alex', (await service.app.users.create({ name: 'Alex' })).fernetKey)
  await add('Alex', 1, 20)
  service.loseAnswers(0)
  expect(await outbox.flush()).toMatchObject({
    delivered: 0,
    remaining: 20,
    stopped: [{ error: { code: 'connection_error' } }],
  })
  service.loseAnswers(Number.POSITIVE_INFINITY)
  const { fernetKey } = await service.admin.users.reset('Alex', 'fernet')
  expect(await outbox.flush()).toMatchObject({ delivered: 10, rejected: 10 })
  keys.set('Alex', fernetKey)
  await outbox.retry()
  expect(await outbox.flush()).toMatchObject({ delivered: 10 })
  expect(await service.names('Alex')).toEqual(numbers(1, 20))
})

it.each([
  ['a 413 page', 413, '<h1>Too large</h1>'],
  ['a 404 of another service', 404, '{"error":"Unknown.","code":"user_not_found"}'],
  ['a 400 of another service', 400, '{"error":"Invalid.","code":"invalid_payload"}'],
  ['a 400 about the token', 400, '{"error":"Invalid.","code":"invalid_token"}'],
])(
  'no catch is rejected or stored twice if a response is lost and a proxy then responds with %s',
  async (_, status, body) => {
    const { service, outbox, keys, add } = await open()
    keys.set('Alex', (await service.app.users.create({ name: 'Alex' })).fernetKey)
    await add('Alex', 1, 10)
    service.loseAnswers(0)
    expect(await outbox.flush()).toMatchObject({ delivered: 0, remaining: 10 })
    service.loseAnswers(Number.POSITIVE_INFINITY)
    service.blockWith(new Response(body, { status, headers: { 'x-request-id': 'proxy-1' } }))
    expect(await outbox.flush()).toMatchObject({ delivered: 0, rejected: 0, remaining: 10 })
    service.blockWith(undefined)
    expect(await outbox.flush()).toMatchObject({ delivered: 10 })
    expect(await service.names('Alex')).toEqual(numbers(1, 10))
  },
)

it('flush() halves a new batch that is too large for a proxy', async () => {
  const { service, outbox, keys, add } = await open()
  keys.set('Alex', (await service.app.users.create({ name: 'Alex' })).fernetKey)
  await add('Alex', 1, 1)
  service.blockWith(new Response('<h1>Too large</h1>', { status: 413 }))
  expect(await outbox.flush()).toMatchObject({ rejected: 1 })
})

it('flush() keeps the catches of a suspended player, also of a hidden one, and delivers them after the suspension', async () => {
  const { service, outbox, keys, add } = await open()
  keys.set('Alex', (await service.app.users.create({ name: 'Alex' })).fernetKey)
  await add('Alex', 1, 20)
  await service.admin.users.suspend('Alex', { hide: true })
  expect(await outbox.flush()).toMatchObject({
    ...{ delivered: 0, rejected: 0, remaining: 20 },
    stopped: [{ error: { code: 'user_suspended', status: 403 } }],
  })
  expect(await outbox.deadLetters()).toEqual([])
  await service.admin.users.unsuspend('Alex')
  expect(await outbox.flush()).toMatchObject({ delivered: 20, remaining: 0 })
  expect(await service.names('Alex')).toEqual(numbers(1, 20))
})
