import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@fish-crab/sdk'
import { type OutboxClient, openOutbox } from '@fish-crab/sdk/outbox'
import { expect, it, onTestFinished, vi } from 'vitest'
import { fakeService, fish } from './fake-service.ts'
import { testFolder } from './folders.ts'

const alex = { user: 'Alex', gamemode: 'earth' } as const

/** A service at an address, and a client of it. */
function serviceAt(baseUrl: string) {
  const service = fakeService()
  return { service, client: { ...service.client(), baseUrl } satisfies OutboxClient }
}

/** Sets up an empty state folder, and returns the default folder of outboxes. */
async function stateFolder(): Promise<string> {
  const folder = await testFolder()
  vi.stubEnv('XDG_STATE_HOME', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  return join(folder, 'fish-crab')
}

it('a client stores the address of its service in normalized form', () => {
  expect(createClient({ baseUrl: 'https://fish.example/api/' }).baseUrl).toBe('https://fish.example/api')
})

it('outboxes for two services use separate files if no path is given', async () => {
  const folder = await stateFolder()
  const real = serviceAt('https://fish.example.org')
  const mock = serviceAt('http://fish-1234.test')
  await using outbox = await openOutbox({ client: real.client, ...alex })
  await outbox.add(fish(1))
  await using other = await openOutbox({ client: mock.client, ...alex })
  await other.flush()
  expect(mock.service.requests).toEqual([])
  expect(await other.status()).toMatchObject({ pending: 0 })
  await outbox.flush()
  expect(real.service.requests).toHaveLength(1)
  const files = (await readdir(folder)).filter((name) => name.endsWith('.db'))
  expect(files.toSorted()).toEqual([
    expect.stringMatching(/^outbox-fish-1234\.test-[0-9a-f]{8}\.db$/),
    expect.stringMatching(/^outbox-fish\.example\.org-[0-9a-f]{8}\.db$/),
  ])
})

it('an outbox sends the catches that a second process added, even if the second process spells the address of the service differently', async () => {
  await stateFolder()
  await using adding = await openOutbox({ baseUrl: 'HTTPS://Fish.Example.org:443/api', ...alex })
  await adding.add(fish(1))
  const { service, client } = serviceAt('https://fish.example.org/api/')
  await using sending = await openOutbox({ client })
  await sending.flush()
  expect(service.requests).toHaveLength(1)
})

it('openOutbox() requires the address of the service if the path is derived from that address', async () => {
  const rejects = (options: Parameters<typeof openOutbox>[0], path: string) =>
    expect(openOutbox(options)).rejects.toMatchObject({ code: 'invalid_input', issues: [{ path }] })
  await rejects({}, 'baseUrl')
  await rejects({ clientFor: () => undefined }, 'baseUrl')
  await rejects({ baseUrl: 'fish.example.org' }, 'baseUrl')
  await rejects({ client: serviceAt('http://a.example.org').client, baseUrl: 'http://b.example.org' }, 'baseUrl')
  await rejects({ path: '' }, 'path')
})

it('openOutbox() rejects a file that contains catches for a different service, and does not change the file', async () => {
  const path = join(await testFolder(), 'outbox.db')
  const real = serviceAt('https://fish.example.org')
  const mock = serviceAt('http://fish-1234.test')
  const outbox = await openOutbox({ path, client: real.client, ...alex })
  await outbox.add(fish(1))
  await expect(openOutbox({ path, client: mock.client })).rejects.toMatchObject({
    name: 'OutboxStoreError',
    code: 'outbox_other_service',
    message: expect.stringMatching(/https:\/\/fish\.example\.org.*http:\/\/fish-1234\.test.*path/s),
  })
  expect(await outbox.flush()).toMatchObject({ delivered: 1, remaining: 0 })
  await outbox.close()
})

it('flush() keeps catches queued and reports an error if the client for these catches belongs to a different service', async () => {
  const real = serviceAt('https://fish.example.org')
  const mock = serviceAt('http://fish-1234.test')
  const path = join(await testFolder(), 'outbox.db')
  await using adding = await openOutbox({ path, baseUrl: 'https://fish.example.org', ...alex })
  await adding.add(fish(1))
  await using wrong = await openOutbox({ path, clientFor: () => mock.client })
  const { stopped } = await wrong.flush()
  expect(stopped).toMatchObject([{ error: { code: 'outbox_other_service' } }])
  expect(mock.service.requests).toEqual([])
  await using right = await openOutbox({ path, clientFor: () => real.client })
  expect(await right.flush()).toMatchObject({ delivered: 1, remaining: 0 })
})

it('openOutbox() emits no event when a new file is bound to its service', async () => {
  const onEvent = vi.fn()
  const { client } = serviceAt('https://fish.example.org')
  await (await openOutbox({ path: join(await testFolder(), 'outbox.db'), client, onEvent })).close()
  expect(onEvent).not.toHaveBeenCalled()
})
