import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type NewCatch, type OutboxOptions, openOutbox } from '@fish-crab/sdk/outbox'
import { expect, it } from 'vitest'
import { jumpingClock } from './clocks.ts'
import { fakeService, fish, lost, refusal } from './fake-service.ts'
import { testFolder } from './folders.ts'

const defaults = { user: 'Alex', gamemode: 'earth' } as const

function open(options: OutboxOptions = {}) {
  return openOutbox({ path: ':memory:', ...defaults, ...options })
}

it('add() accepts one or many catches, and returns the number of added catches', async () => {
  const outbox = await open()
  expect(await outbox.add({ kind: 'crab' })).toEqual({ added: 1, duplicates: 0, addedIndexes: [0] })
  expect(await outbox.add(fish(1, 700))).toMatchObject({ added: 700, duplicates: 0 })
  expect(await outbox.status()).toMatchObject({
    pending: 701,
    collections: [
      { kind: 'crab', user: 'Alex', gamemode: 'earth', pending: 1, rejected: 0 },
      { kind: 'fish', user: 'Alex', gamemode: 'earth', pending: 700, rejected: 0 },
    ],
  })
})

it('add() sets the time of a catch to the time of the call unless the catch has a time', async () => {
  const { clock } = jumpingClock(Date.parse('2026-03-04T05:06:07Z'))
  const outbox = await open({ clock })
  await outbox.add([
    { kind: 'fish', name: 'Cod', rarity: 'Gold' },
    { kind: 'crab', caughtAt: '2025-01-01T01:00:00+01:00' },
  ])
  expect((await outbox.peek()).map(({ entry }) => entry)).toEqual([
    { name: 'Cod', rarity: 3, caughtAt: '2026-03-04T05:06:07.000Z' },
    { caughtAt: '2025-01-01T00:00:00.000Z' },
  ])
  expect(await outbox.status()).toMatchObject({ oldest: new Date('2026-03-04T05:06:07Z') })
})

it('add() throws an error that names every invalid value, and adds nothing', async () => {
  const outbox = await open({ user: undefined })
  const wrong = [
    { kind: 'fish', name: 'Cod', rarity: 1, user: 'Alex' },
    { kind: 'fish', name: '', rarity: 9, user: 'Alex', key: '' },
    { kind: 'whale', gamemode: 'Moon' },
    null,
  ] as unknown as NewCatch[]
  const added = outbox.add(wrong, { checkpoint: { name: '', value: 7 as never } })
  const { issues } = (await added.catch((error: unknown) => error)) as { issues: { path: string }[] }
  expect(new Set(issues.map(({ path }) => path))).toEqual(
    new Set([
      'catches.1.key',
      'catches.1.rarity',
      'catches.1.name',
      'catches.2.kind',
      'catches.2.name',
      'catches.2.rarity',
      'catches.2.user',
      'catches.2.gamemode',
      'catches.3.kind',
      'catches.3',
      'catches.3.user',
      'checkpoint.name',
      'checkpoint.value',
    ]),
  )
  expect(await outbox.status()).toMatchObject({ pending: 0 })
})

it('add() adds a catch with a known key only once, even after its delivery', async () => {
  const service = fakeService()
  const outbox = await open({ client: service.client() })
  const keyed = { kind: 'fish', name: 'Cod', rarity: 1, key: 'latest.log:1042' } as const
  expect(await outbox.add([keyed, keyed])).toEqual({ added: 1, duplicates: 1, addedIndexes: [0] })
  await outbox.flush()
  expect(await outbox.add(keyed)).toEqual({ added: 0, duplicates: 1, addedIndexes: [] })
  await outbox.flush()
  expect(service.names('fish/Alex/earth')).toEqual(['Cod'])
})

it('add() stores the catches and the checkpoint together, or neither', async () => {
  const outbox = await open({ maxCatches: 2 })
  expect(await outbox.checkpoint('latest.log')).toBeUndefined()
  await outbox.add(fish(1, 2), { checkpoint: { name: 'latest.log', value: '20' } })
  await expect(outbox.add(fish(3), { checkpoint: { name: 'latest.log', value: '30' } })).rejects.toThrow()
  expect(await outbox.checkpoint('latest.log')).toBe('20')
  await outbox.add([], { checkpoint: { name: 'latest.log', value: '40' } })
  expect(await outbox.checkpoint('latest.log')).toBe('40')
})

it('add() throws OutboxFullError if the catches exceed maxCatches, and stores none of these catches', async () => {
  const outbox = await open({ maxCatches: 3 })
  await outbox.add(fish(1, 2))
  await expect(outbox.add(fish(3, 4))).rejects.toMatchObject({
    name: 'OutboxFullError',
    code: 'outbox_full',
    maxCatches: 3,
    hint: expect.stringContaining('maxCatches'),
  })
  expect(await outbox.status()).toMatchObject({ pending: 2 })
  await outbox.add(fish(3))
})

it('add() accepts a key again after its catch was cancelled or dropped', async () => {
  const service = fakeService()
  const outbox = await open({ client: service.client() })
  const keyed = (key: string) => ({ ...fish(1)[0], kind: 'fish', name: key, rarity: 1, key }) as const
  await outbox.add([keyed('a'), keyed('b')])
  const [first] = await outbox.peek()
  const seqs = [first?.seq ?? 0]
  expect(await outbox.cancel({ seqs, dryRun: true })).toEqual({ cancelled: 1, frozen: 0 })
  expect(await outbox.add(keyed('a'))).toMatchObject({ added: 0 })
  expect(await outbox.cancel({ seqs })).toEqual({ cancelled: 1, frozen: 0 })
  expect(await outbox.add([keyed('a'), keyed('b')])).toMatchObject({ addedIndexes: [0] })
  service.before = () => {
    throw refusal('user_not_found')
  }
  await outbox.flush()
  const [rejected] = await outbox.deadLetters()
  expect(await outbox.drop(rejected?.id ?? 0)).toBe(2)
  expect(await outbox.add([keyed('a'), keyed('b')])).toMatchObject({ added: 2 })
})

it('cancel() removes all catches of a user, or only the given catches, and ignores the letter case of the user name', async () => {
  const outbox = await open()
  const crabOf = (user: string) => ({ kind: 'crab', user }) as const
  await outbox.add([crabOf('Alex'), crabOf('Bob'), crabOf('ALEX'), crabOf('Bob')])
  const seqs = (await outbox.peek()).map(({ seq }) => seq)
  expect(await outbox.cancel({ user: 'Nobody' })).toEqual({ cancelled: 0, frozen: 0 })
  expect(await outbox.cancel({ seqs: [] })).toEqual({ cancelled: 0, frozen: 0 })
  expect(await outbox.cancel({ user: 'bob', seqs: seqs.slice(0, 2) })).toEqual({ cancelled: 1, frozen: 0 })
  expect(await outbox.cancel({ user: 'alex' })).toEqual({ cancelled: 2, frozen: 0 })
  expect((await outbox.peek()).map(({ seq }) => seq)).toEqual(seqs.slice(3))
})

it('cancel() does not remove a batch that may have reached the service', async () => {
  const service = fakeService()
  const outbox = await open({ client: service.client(), maxBatch: 1 })
  await outbox.add(fish(1, 3))
  service.before = () => {
    throw lost()
  }
  await outbox.flush()
  const seqs = (await outbox.peek()).map(({ seq }) => seq)
  expect(await outbox.cancel({ user: 'Alex', seqs })).toEqual({ cancelled: 2, frozen: 1 })
  expect((await outbox.peek()).map(({ entry }) => entry.name)).toEqual(['1'])
})

it('an outbox remembers the last million keys, and all keys of waiting catches', async () => {
  const service = fakeService()
  const path = join(await testFolder(), 'outbox.db')
  const outbox = await open({ client: service.client(), path })
  const keyed = (key: string) => ({ kind: 'fish', name: key, rarity: 1, key }) as const
  await outbox.add([keyed('x'), keyed('y')])
  await outbox.flush()
  await outbox.add(keyed('pending'))
  const db = new DatabaseSync(path)
  db.exec("INSERT INTO keys (n, key, added_at) VALUES (1000001, 'z', 0)")
  db.close()
  await outbox.add(fish(1))
  expect(await outbox.add([keyed('y'), keyed('z'), keyed('pending')])).toMatchObject({ added: 0 })
  expect(await outbox.add(keyed('x'))).toMatchObject({ added: 1 })
})

it('openOutbox() rejects with an error that names every invalid option', async () => {
  const opened = openOutbox({ maxCatches: 0, maxBatch: 501, lingerMs: -1 })
  const { issues } = (await opened.catch((error: unknown) => error)) as { issues: { path: string }[] }
  expect(issues.map(({ path }) => path)).toEqual(['maxCatches', 'maxBatch', 'lingerMs', 'baseUrl'])
  const client = fakeService().client()
  await expect(openOutbox({ client, clientFor: () => client, path: '' })).rejects.toMatchObject({
    issues: [{ path: 'clientFor' }, { path: 'path' }],
  })
})

it('a closed outbox rejects add() and flush()', async () => {
  const outbox = await open()
  await outbox.close()
  await expect(outbox.add(fish(1))).rejects.toMatchObject({ name: 'OutboxClosedError', code: 'outbox_closed' })
  await expect(outbox.flush()).rejects.toMatchObject({ code: 'outbox_closed' })
})
