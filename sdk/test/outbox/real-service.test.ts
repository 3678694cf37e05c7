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
