import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createClient } from '@fish-crab/sdk'
import { memoryStore, type OutboxClient, type OutboxEvent, openOutbox, sqliteStore } from '@fish-crab/sdk/outbox'
import { expect, it, onTestFinished, vi } from 'vitest'
import { fakeService, fish } from './fake-service.ts'
import { testFolder } from './folders.ts'

const alex = { user: 'Alex', gamemode: 'earth' } as const

/** A service at an address, and a client of it. */
function serviceAt(baseUrl: string) {
  const service = fakeService()
  return { service, client: { ...service.client(), baseUrl } satisfies OutboxClient }
}

/** The default folder of outboxes. */
async function stateFolder(): Promise<string> {
  const folder = await testFolder()
  vi.stubEnv('XDG_STATE_HOME', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  return join(folder, 'fish-crab')
}

/** A file of the version that stored no service. */
async function olderFile(path: string): Promise<void> {
  await using outbox = await openOutbox({ path, ...alex })
  await outbox.add(fish(1))
  await outbox.close()
  const db = new DatabaseSync(path)
  db.exec('DROP TABLE service; PRAGMA user_version = 1')
  db.close()
}

it('names the address of its service as a client spells it', () => {
  expect(createClient({ baseUrl: 'https://fish.example/api/' }).baseUrl).toBe('https://fish.example/api')
})

it('keeps the catches of two services apart when no path is given', async () => {
  const folder = await stateFolder()
  const real = serviceAt('https://fish.example.org')
  const mock = serviceAt('http://fish-1234.test')
  await using outbox = await openOutbox({ client: real.client, ...alex })
  await outbox.add(fish(1))
  await using other = await openOutbox({ client: mock.client, ...alex })
  await other.flush()
  expect(mock.service.requests).toEqual([])
  expect(await other.status()).toMatchObject({ queued: 0 })
  await outbox.flush()
  expect(real.service.requests).toHaveLength(1)
  const files = (await readdir(folder)).filter((name) => name.endsWith('.db'))
  expect(files.toSorted()).toEqual([
    expect.stringMatching(/^outbox-fish-1234\.test-[0-9a-f]{8}\.db$/),
    expect.stringMatching(/^outbox-fish\.example\.org-[0-9a-f]{8}\.db$/),
  ])
})

it('takes what another process added for the same service, however its address is written', async () => {
  await stateFolder()
  await using adding = await openOutbox({ baseUrl: 'HTTPS://Fish.Example.org:443/api', ...alex })
  await adding.add(fish(1))
  const { service, client } = serviceAt('https://fish.example.org/api/')
  await using sending = await openOutbox({ client })
  await sending.flush()
  expect(service.requests).toHaveLength(1)
})

it('says which service to name where the file depends on it', async () => {
  const rejects = (options: Parameters<typeof openOutbox>[0], path: string) =>
    expect(openOutbox(options)).rejects.toMatchObject({ code: 'invalid_input', issues: [{ path }] })
  await rejects({}, 'baseUrl')
  await rejects({ clientFor: () => undefined }, 'baseUrl')
  await rejects({ baseUrl: 'fish.example.org' }, 'baseUrl')
  await rejects({ client: serviceAt('http://a.example.org').client, baseUrl: 'http://b.example.org' }, 'baseUrl')
  const file = sqliteStore as (path?: string) => ReturnType<typeof sqliteStore>
  await expect(file()).rejects.toMatchObject({ code: 'invalid_input', issues: [{ path: 'path' }] })
})

it.each([
  ['a file', async () => ({ path: join(await testFolder(), 'outbox.db') })],
  ['a store in memory', async () => ({ store: memoryStore() })],
])('refuses %s that holds the catches of another service, and changes nothing', async (_, place) => {
  const where = await place()
  const real = serviceAt('https://fish.example.org')
  const mock = serviceAt('http://fish-1234.test')
  const outbox = await openOutbox({ ...where, client: real.client, ...alex })
  await outbox.add(fish(1))
  await expect(openOutbox({ ...where, client: mock.client })).rejects.toMatchObject({
    name: 'OutboxStoreError',
    code: 'outbox_other_service',
    message: expect.stringMatching(/https:\/\/fish\.example\.org.*http:\/\/fish-1234\.test.*path/s),
  })
  expect(await outbox.flush()).toMatchObject({ sent: 1, left: 0 })
  await outbox.close()
})

it('leaves catches queued whose client is of another service, and reports it', async () => {
  const real = serviceAt('https://fish.example.org')
  const mock = serviceAt('http://fish-1234.test')
  const store = memoryStore()
  await using adding = await openOutbox({ store, baseUrl: 'https://fish.example.org', ...alex })
  await adding.add(fish(1))
  await using wrong = await openOutbox({ store, clientFor: () => mock.client })
  const { stopped } = await wrong.flush()
  expect(stopped).toMatchObject([{ error: { code: 'outbox_other_service' } }])
  expect(mock.service.requests).toEqual([])
  await using right = await openOutbox({ store, clientFor: () => real.client })
  expect(await right.flush()).toMatchObject({ sent: 1, left: 0 })
})

it('belongs to the first service that opens it when an older version wrote it, and reports that once', async () => {
  const path = join(await testFolder(), 'outbox.db')
  await olderFile(path)
  const events: OutboxEvent[] = []
  const onEvent = (event: OutboxEvent) => void events.push(event)
  const real = serviceAt('https://fish.example.org')
  for (const _ of [1, 2]) await (await openOutbox({ path, client: real.client, onEvent })).close()
  expect(events).toEqual([{ type: 'adopted', service: 'https://fish.example.org' }])
  await expect(openOutbox({ path, client: serviceAt('http://other.example.org').client })).rejects.toMatchObject({
    code: 'outbox_other_service',
  })
})

it('goes on with the usual file of an older version in the first service that opens it, and in no other', async () => {
  const folder = await stateFolder()
  await olderFile(join(folder, 'outbox.db'))
  const queuedIn = async (baseUrl: string) => {
    await using outbox = await openOutbox({ client: serviceAt(baseUrl).client })
    return (await outbox.status()).queued
  }
  // Names that no service has, but tests do (RFC 6761): what they open must not be somebody's catches.
  expect(await queuedIn('http://fish-1234.test')).toBe(0)
  expect(await queuedIn('https://fish.example')).toBe(0)
  expect(await queuedIn('https://fish.example.org')).toBe(1)
  expect(await queuedIn('https://fish.example.org')).toBe(1)
  expect(await queuedIn('https://other.example.org')).toBe(0)
})

it('emits nothing when a new file is bound to its service', async () => {
  const onEvent = vi.fn()
  const { client } = serviceAt('https://fish.example.org')
  await (await openOutbox({ path: join(await testFolder(), 'outbox.db'), client, onEvent })).close()
  expect(onEvent).not.toHaveBeenCalled()
})
