import type { AddRequest, CatchToAdd, OutboxStore } from '@fish-crab/sdk/outbox'
import { describe, expect, it } from 'vitest'

const ALEX = 'fish/earth/alex'
const SAM = 'crab/survival/sam'
const REASON = { code: 'invalid_payload', message: 'Bad.' }
const alex = { collection: ALEX, owner: 'one' }

function addition(name: string, fields: Partial<CatchToAdd> = {}): CatchToAdd {
  return { collection: ALEX, kind: 'fish', user: 'Alex', gamemode: 'earth', entry: { name, rarity: 1 }, ...fields }
}

function request(catches: readonly CatchToAdd[], fields: Partial<AddRequest> = {}): AddRequest {
  return { catches, now: 1000, maxCatches: 100, maxKeys: 100, keysSince: 0, ...fields }
}

const abc = [addition('a'), addition('b'), addition('c')]

/** What every store of an outbox must do. `open` gives a new, empty one. */
export function describeStore(name: string, open: () => Promise<OutboxStore>): void {
  const openHeld = async (catches: readonly CatchToAdd[] = abc) => {
    const store = await open()
    await store.add(request(catches))
    await store.claim({ ...alex, now: 0, leaseMs: 100 })
    const seqs = (await store.peek(100)).map(({ seq }) => seq)
    return { store, seqs, first: seqs.slice(0, 2) }
  }
  const names = async (store: OutboxStore) => (await store.peek(100)).map(({ entry }) => entry.name)

  describe(`${name}: belonging to a service`, () => {
    it('belongs to the first that it is bound to', async () => {
      const store = await open()
      expect(await store.bind('http://one.test')).toEqual({ service: 'http://one.test', adopted: false })
      await store.add(request(abc))
      expect(await store.bind('http://two.test')).toEqual({ service: 'http://one.test', adopted: false })
      expect(await store.bind('http://one.test')).toEqual({ service: 'http://one.test', adopted: false })
    })

    it.each([
      ['catches', request(abc)],
      ['a checkpoint', request([], { checkpoint: { name: 'log', value: '1' } })],
    ])('is adopted by it when it held %s before', async (_, held) => {
      const store = await open()
      await store.add(held)
      expect(await store.bind('http://one.test')).toEqual({ service: 'http://one.test', adopted: true })
      expect(await store.bind('http://one.test')).toEqual({ service: 'http://one.test', adopted: false })
    })
  })

  describe(`${name}: taking`, () => {
    it('keeps catches in the order of their adding, whole', async () => {
      const store = await open()
      await store.add(request([addition('a', { key: 'k' })]))
      await store.add(
        request([addition('b', { entry: { name: 'b', rarity: 7, caughtAt: '2026-01-01T00:00:00.000Z' } })]),
      )
      const [a, b] = await store.peek(100)
      expect(a).toMatchObject({
        collection: ALEX,
        kind: 'fish',
        user: 'Alex',
        gamemode: 'earth',
        key: 'k',
        addedAt: 1000,
      })
      expect(b?.entry).toEqual({ name: 'b', rarity: 7, caughtAt: '2026-01-01T00:00:00.000Z' })
      expect(b?.seq).toBeGreaterThan(a?.seq ?? Number.NaN)
    })

    it('takes a key once, also within one request and after delivery', async () => {
      const store = await open()
      const twice = [addition('a', { key: 'k' }), addition('a', { key: 'k' })]
      expect(await store.add(request(twice))).toEqual({ type: 'added', addedIndexes: [0] })
      await store.claim({ ...alex, now: 0, leaseMs: 100 })
      const batch = await store.freeze(alex, [(await store.peek(1))[0]?.seq ?? 0], 'token')
      await store.acknowledge(batch ?? 0)
      expect(await store.add(request(twice))).toEqual({ type: 'added', addedIndexes: [] })
      expect(await names(store)).toEqual([])
    })

    it('tells which catches it added', async () => {
      const store = await open()
      await store.add(request([addition('b', { key: 'b' })]))
      const some = [
        addition('a', { key: 'a' }),
        addition('b', { key: 'b' }),
        addition('a', { key: 'a' }),
        addition('c'),
      ]
      expect(await store.add(request(some))).toEqual({ type: 'added', addedIndexes: [0, 3] })
    })

    it('forgets keys beyond number and age, never those of catches it holds', async () => {
      const store = await open()
      await store.add(request([addition('held', { key: 'held' })]))
      await store.claim({ collection: SAM, owner: 'one', now: 0, leaseMs: 100 })
      for (const key of ['x', 'y', 'z']) {
        await store.add(request([addition(key, { key, collection: SAM, kind: 'crab', user: 'Sam' })]))
        await store.claim({ collection: SAM, owner: 'one', now: 0, leaseMs: 100 })
        const { catches } = await store.nextBatch(SAM, 1)
        const batch = await store.freeze({ collection: SAM, owner: 'one' }, [catches[0]?.seq ?? 0], 'token')
        await store.acknowledge(batch ?? 0)
      }
      const again = (key: string) => request([addition(key, { key })])
      await store.add(request([addition('new')], { maxKeys: 2 }))
      expect(await store.add(again('held'))).toMatchObject({ addedIndexes: [] })
      expect(await store.add(again('z'))).toMatchObject({ addedIndexes: [] })
      expect(await store.add(again('x'))).toMatchObject({ addedIndexes: [0] })
      await store.add(request([addition('later')], { keysSince: 2000 }))
      expect(await store.add(again('z'))).toMatchObject({ addedIndexes: [0] })
      expect(await store.add(again('held'))).toMatchObject({ addedIndexes: [] })
    })

    it('takes nothing of what would be too much, the checkpoint included', async () => {
      const store = await open()
      const checkpoint = { name: 'log', value: '7' }
      expect(await store.add(request(abc, { maxCatches: 2, checkpoint }))).toEqual({ type: 'full' })
      expect(await names(store)).toEqual([])
      expect(await store.checkpoint('log')).toBeUndefined()
      expect(await store.add(request(abc, { maxCatches: 3, checkpoint }))).toMatchObject({ addedIndexes: [0, 1, 2] })
      expect(await store.checkpoint('log')).toBe('7')
      expect(await store.add(request([], { maxCatches: 3, checkpoint: { name: 'log', value: '8' } }))).toMatchObject({
        addedIndexes: [],
      })
      expect(await store.checkpoint('log')).toBe('8')
    })

    it('takes nothing when a checkpoint is not what it is expected to be', async () => {
      const store = await open()
      const move = (expected: string | null, value: string) =>
        store.add(request([addition(value)], { checkpoint: { name: 'log', value, expected } }))
      expect(await move('7', 'a')).toEqual({ type: 'moved' })
      expect(await move(null, 'a')).toMatchObject({ addedIndexes: [0] })
      for (const expected of [null, 'b', '']) expect(await move(expected, 'b')).toEqual({ type: 'moved' })
      expect(await names(store)).toEqual(['a'])
      expect(await move('a', 'b')).toMatchObject({ addedIndexes: [0] })
      expect(await store.checkpoint('log')).toBe('b')
      expect(await names(store)).toEqual(['a', 'b'])
    })

    it('counts by collection, under the spelling that came first', async () => {
      const { store, seqs } = await openHeld([
        ...abc,
        addition('d', { user: 'ALEX' }),
        addition('crab', { collection: SAM, kind: 'crab', user: 'Sam', gamemode: 'survival' }),
      ])
      await store.addDeadLetter(alex, seqs.slice(0, 1), REASON, 5)
      await store.freeze(alex, seqs.slice(1, 2), 'token')
      expect(await store.collections()).toEqual([
        {
          collection: ALEX,
          kind: 'fish',
          user: 'Alex',
          gamemode: 'earth',
          queued: 2,
          frozen: 1,
          dead: 1,
          oldestAt: 1000,
        },
        {
          collection: SAM,
          kind: 'crab',
          user: 'Sam',
          gamemode: 'survival',
          queued: 1,
          frozen: 0,
          dead: 0,
          oldestAt: 1000,
        },
      ])
    })
  })

  describe(`${name}: leases`, () => {
    it('gives a collection to one owner until its time is over or it is given back', async () => {
      const { store } = await openHeld()
      const other = { collection: ALEX, owner: 'two', leaseMs: 100 }
      expect(await store.claim({ ...other, now: 99 })).toEqual({ granted: false, until: 100 })
      expect(await store.claim({ ...alex, now: 50, leaseMs: 100 })).toEqual({ granted: true })
      expect(await store.claim({ ...other, now: 100 })).toEqual({ granted: false, until: 150 })
      expect(await store.claim({ ...other, now: 150 })).toEqual({ granted: true })
      await store.release(alex)
      expect(await store.claim({ ...alex, now: 151, leaseMs: 100 })).toMatchObject({ granted: false })
      await store.release({ collection: ALEX, owner: 'two' })
      expect(await store.claim({ ...alex, now: 151, leaseMs: 100 })).toEqual({ granted: true })
    })

    it('gives away a lease from the future, when the clock was set back', async () => {
      const { store } = await openHeld()
      await store.claim({ ...alex, now: 1_000_000, leaseMs: 100 })
      expect(await store.claim({ collection: ALEX, owner: 'two', now: 500, leaseMs: 100 })).toEqual({ granted: true })
    })

    it('lets nobody change a collection without its lease', async () => {
      const { store, seqs } = await openHeld()
      const stranger = { collection: ALEX, owner: 'two' }
      expect(await store.freeze(stranger, seqs, 'token')).toBeUndefined()
      expect(await store.requeue(stranger, seqs, 1)).toBe(false)
      expect(await store.addDeadLetter(stranger, 'all', REASON, 5)).toBeUndefined()
      expect(await store.nextBatch(ALEX, 9)).toMatchObject({ catches: [{}, {}, {}] })
      expect((await store.nextBatch(ALEX, 9)).frozen).toBeUndefined()
    })
  })

  describe(`${name}: sending`, () => {
    it('gives the frozen batch first, then what is queued', async () => {
      const { store, first, seqs } = await openHeld()
      expect((await store.nextBatch(ALEX, 2)).catches.map(({ seq }) => seq)).toEqual(first)
      const batch = await store.freeze(alex, first, 'token')
      const head = await store.nextBatch(ALEX, 1)
      expect(head.frozen).toEqual({ batch, token: 'token' })
      expect(head.catches.map(({ seq }) => seq)).toEqual(first)
      expect(await store.acknowledge(batch ?? 0)).toBe(true)
      expect(await store.acknowledge(batch ?? 0)).toBe(false)
      expect((await store.nextBatch(ALEX, 9)).catches.map(({ seq }) => seq)).toEqual(seqs.slice(2))
    })

    it('seals only catches that are all queued', async () => {
      const { store, first, seqs } = await openHeld()
      await store.freeze(alex, first, 'token')
      expect(await store.freeze(alex, seqs, 'other')).toBeUndefined()
      expect(await store.freeze(alex, [9999], 'other')).toBeUndefined()
      expect((await store.nextBatch(ALEX, 9)).frozen?.token).toBe('token')
    })

    it('queues a frozen batch again at its place, with a limit for its catches alone', async () => {
      const { store, first, seqs } = await openHeld()
      const batch = await store.freeze(alex, first, 'token')
      expect(await store.requeue(alex, first, 1)).toBe(true)
      const { frozen, catches } = await store.nextBatch(ALEX, 9)
      expect(frozen).toBeUndefined()
      expect(catches.map(({ seq }) => seq)).toEqual(seqs)
      expect(catches.map(({ batchLimit }) => batchLimit)).toEqual([1, 1, undefined])
      expect(await store.acknowledge(batch ?? 0)).toBe(false)
    })
  })

  describe(`${name}: setting aside`, () => {
    it('keeps catches with their reason, out of the way of the others', async () => {
      const { store, first } = await openHeld()
      await store.freeze(alex, first, 'token')
      const deadLetter = await store.addDeadLetter(alex, first, REASON, 77)
      expect(deadLetter).toMatchObject({ count: 2 })
      expect(await names(store)).toEqual(['c'])
      const collection = { kind: 'fish', user: 'Alex', gamemode: 'earth' }
      expect(await store.deadLetters(1)).toMatchObject([
        { id: deadLetter?.id, collection, reason: REASON, at: 77, count: 2, catches: [{ entry: { name: 'a' } }] },
      ])
      expect((await store.deadLetters(1))[0]?.catches).toHaveLength(1)
    })

    it('sets aside all that waits, and nothing twice', async () => {
      const { store, first } = await openHeld()
      await store.freeze(alex, first, 'token')
      expect(await store.addDeadLetter(alex, 'all', REASON, 5)).toMatchObject({ count: 3 })
      expect(await store.addDeadLetter(alex, 'all', REASON, 5)).toBeUndefined()
      expect(await store.deadLetters(9)).toHaveLength(1)
      expect(await store.nextBatch(ALEX, 9)).toEqual({ catches: [] })
    })

    it('queues them at their old positions again, those listed or all', async () => {
      const { store, seqs } = await openHeld()
      const a = await store.addDeadLetter(alex, seqs.slice(0, 1), REASON, 5)
      await store.addDeadLetter(alex, seqs.slice(2), REASON, 5)
      expect(await store.retry([a?.id ?? 0, 9999])).toBe(1)
      expect(await names(store)).toEqual(['a', 'b'])
      expect(await store.retry(undefined)).toBe(1)
      expect(await names(store)).toEqual(['a', 'b', 'c'])
      expect(await store.deadLetters(9)).toEqual([])
    })

    it('cancels what is queued, by the beginning of its key or all of it, and moves the checkpoint', async () => {
      const keyed = [addition('a', { key: 'a%:1' }), addition('b', { key: 'a_:1' }), addition('c'), addition('d')]
      const { store, seqs } = await openHeld(keyed)
      const checkpoint = { name: 'stamp', value: '1' }
      const some = { keyPrefix: 'a%:', checkpoint, dryRun: false }
      expect(await store.cancel({ ...some, dryRun: true })).toEqual({ cancelled: 1, frozen: 0 })
      expect([await names(store), await store.checkpoint('stamp')]).toEqual([['a', 'b', 'c', 'd'], undefined])
      expect(await store.cancel(some)).toEqual({ cancelled: 1, frozen: 0 })
      expect([await names(store), await store.checkpoint('stamp')]).toEqual([['b', 'c', 'd'], '1'])
      expect(await store.add(request(keyed.slice(0, 1)))).toMatchObject({ addedIndexes: [] })
      await store.freeze(alex, seqs.slice(1, 2), 'token')
      expect(await store.freeze(alex, seqs.slice(0, 1), 'token')).toBeUndefined()
      expect(await store.cancel({ keyPrefix: 'a_', dryRun: false })).toEqual({ cancelled: 0, frozen: 1 })
      await store.addDeadLetter(alex, seqs.slice(3), REASON, 1000)
      expect(await store.cancel({ dryRun: false })).toEqual({ cancelled: 1, frozen: 1 })
      expect(await names(store)).toEqual(['b'])
      expect(await store.deadLetters(9)).toHaveLength(1)
    })

    it('drops only dead letters', async () => {
      const { store, seqs, first } = await openHeld()
      const frozen = await store.freeze(alex, first, 'token')
      const deadLetter = await store.addDeadLetter(alex, seqs.slice(2), REASON, 5)
      expect(await store.drop([frozen ?? 0])).toBe(0)
      expect(await store.drop([deadLetter?.id ?? 0])).toBe(1)
      expect(await names(store)).toEqual(['a', 'b'])
      expect(await store.deadLetters(9)).toEqual([])
    })
  })
}
