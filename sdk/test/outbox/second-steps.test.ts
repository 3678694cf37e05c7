import { join } from 'node:path'
import { type NewCatch, type Outbox, openOutbox, type StoredCatch } from '@fish-crab/sdk/outbox'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testFolder } from './folders.ts'
import { type Catch, COLLECTIONS, ServiceModel, TREATMENTS } from './service-model.ts'

const PREFIXES = ['one.log:', 'other.log:']
const step = fc.record({
  operation: fc.constantFrom(
    ...(['add', 'add', 'import', 'import', 'flush', 'flush', 'flush both', 'kill', 'reopen', 'cancel'] as const),
    ...(['retry', 'drop', 'reset key'] as const),
  ),
  opener: fc.nat(1),
  collection: fc.constantFrom(...COLLECTIONS),
  count: fc.integer({ min: 1, max: 9 }),
  /** The index of the added catch that the service refuses while `isStrict` is set. */
  invalidAt: fc.option(fc.nat(8), { nil: undefined }),
  prefix: fc.constantFrom(...PREFIXES),
  isOfAll: fc.boolean(),
  isStrict: fc.boolean(),
  treatments: fc.array(fc.constantFrom(...TREATMENTS), { minLength: 1, maxLength: 5 }),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

class Play {
  private readonly model = new ServiceModel()
  private readonly outboxes: Outbox[] = []
  private count = 0
  private readonly path: string

  constructor(path: string) {
    this.path = path
  }

  async open(): Promise<Outbox> {
    return openOutbox({
      clientFor: () => this.model.service.client(),
      gamemode: 'earth',
      path: this.path,
      maxBatch: 4,
      clock: this.model.clock,
      random: () => 0,
    })
  }

  private async add(outbox: Outbox, { operation, collection, count, invalidAt, prefix }: Step): Promise<void> {
    const [kind, user] = collection.split('/') as ['fish' | 'crab', string]
    const added = Array.from({ length: count }, (_, at): Catch => {
      const key = operation === 'import' ? `${prefix}${collection} ${at}` : undefined
      const name = `${this.count++}${at === invalidAt ? '!' : ''}`
      return { name, collection, key, state: 'waiting', wasDead: false }
    })
    const isForgotten = ({ state }: Catch) => state === 'cancelled' || state === 'dropped'
    const known = new Set(this.model.catches.flatMap((one) => (isForgotten(one) ? [] : (one.key ?? []))))
    const isKnown = (key: string | undefined) => key !== undefined && known.has(key)
    const fresh = added.filter(({ key }) => !isKnown(key))
    const fields = { kind, user, ...(kind === 'fish' && { rarity: 1 }) }
    const sent = added.map(({ name, key }) => ({ ...fields, name, key }) as NewCatch)
    const expected = { added: fresh.length, duplicates: count - fresh.length }
    expect(await outbox.add(sent)).toMatchObject({ ...expected, addedIndexes: fresh.map((one) => added.indexOf(one)) })
    this.model.catches.push(...fresh)
  }

  private async cancel(outbox: Outbox, { prefix, isOfAll, isStrict }: Step): Promise<void> {
    const frozen = this.model.frozenNames()
    const pending = await outbox.peek(1000)
    const seqs = pending.flatMap(({ seq, key }) => (key?.startsWith(prefix) ? [seq] : []))
    const isMeant = ({ state, key }: Catch) => state === 'waiting' && (isOfAll || key?.startsWith(prefix) === true)
    const [meant, dryRun] = [this.model.catches.filter(isMeant).map(({ name }) => name), isStrict]
    const cancelled = meant.filter((name) => !frozen.includes(name))
    const outcome = await outbox.cancel({ ...(isOfAll ? {} : { seqs }), dryRun })
    expect(outcome).toEqual({ cancelled: cancelled.length, frozen: meant.length - cancelled.length })
    if (!dryRun) this.model.mark(cancelled, 'cancelled')
  }

  private async settleDeadLetters(outbox: Outbox, { operation, isOfAll, count }: Step): Promise<void> {
    const letters = await outbox.deadLetters()
    const chosen = isOfAll ? letters : letters.slice(0, 1 + (count % 2))
    const [ids, names] = [chosen.map(({ id }) => id), chosen.flatMap(({ catches }) => catches.map(nameOf))]
    const settled = operation === 'drop' ? outbox.drop(ids) : outbox.retry(isOfAll ? undefined : ids)
    expect(await settled).toBe(names.length)
    this.model.mark(names, operation === 'drop' ? 'dropped' : 'waiting')
  }

  async take(step: Step): Promise<void> {
    while (this.outboxes.length < 2) this.outboxes.push(await this.open())
    const [outbox, other] = (step.opener ? this.outboxes : this.outboxes.toReversed()) as [Outbox, Outbox]
    const replace = async () => this.outboxes.splice(this.outboxes.indexOf(outbox), 1, await this.open())
    const { operation } = step
    this.model.isStrict = step.isStrict
    this.model.abort = new AbortController()
    // An abort would also end the other flush at an unpredictable moment, perhaps just before that flush reads a
    // response.
    const treatments = step.treatments.filter((one) => operation !== 'flush both' || one !== 'aborted')
    this.model.treatments = operation === 'kill' ? [...treatments, 'aborted'] : treatments
    if (operation === 'add' || operation === 'import') await this.add(outbox, step)
    else if (operation === 'cancel') await this.cancel(outbox, step)
    else if (operation === 'retry' || operation === 'drop') await this.settleDeadLetters(outbox, step)
    else if (operation === 'reset key') this.model.service.key += '+'
    else if (operation === 'kill') {
      const flushing = outbox.flush().catch(() => {})
      const aborted = new Promise((resolve) => this.model.abort.signal.addEventListener('abort', resolve))
      await Promise.race([flushing, aborted])
      // A killed process sends nothing more, and stores no response.
      await outbox.close({ signal: AbortSignal.abort() })
      await replace()
    } else if (operation === 'reopen') {
      await outbox.close()
      await replace()
    } else {
      const { signal } = this.model.abort
      const flushes = operation === 'flush' ? [outbox] : [outbox, other]
      for (const { status, ...flush } of await Promise.allSettled(flushes.map((one) => one.flush({ signal })))) {
        expect(status === 'fulfilled' || signal.aborted, JSON.stringify(flush)).toBe(true)
      }
    }
    for (const one of this.outboxes) await this.compare(one)
  }

  private async compare(outbox: Outbox): Promise<void> {
    const waiting = this.model.namesIn('waiting')
    expect((await outbox.peek(1000)).map(nameOf)).toEqual(waiting)
    const dead = (await outbox.deadLetters()).flatMap(({ catches }) => catches.map(nameOf))
    expect(dead.toSorted()).toEqual(this.model.namesIn('dead').toSorted())
    const frozen = this.model.frozenNames().length
    expect(await outbox.status()).toMatchObject({ pending: waiting.length, rejected: dead.length })
    expect(await outbox.cancel({ dryRun: true })).toEqual({ cancelled: waiting.length - frozen, frozen })
    for (const collection of COLLECTIONS) {
      const stored = this.model.service.names(collection)
      const own = this.model.catches.filter((one) => one.collection === collection && stored.includes(one.name))
      expect(stored).toHaveLength(own.length)
      expect(own.filter(({ state }) => state === 'cancelled' || state === 'dropped')).toEqual([])
      const inOrder = own.filter(({ wasDead }) => !wasDead).map(({ name }) => name)
      expect(stored.filter((name) => inOrder.includes(name ?? ''))).toEqual(inOrder)
    }
  }

  async finish(): Promise<void> {
    const outbox = await this.open()
    Object.assign(this.model, { treatments: [], isStrict: false })
    expect(await outbox.flush()).toMatchObject({ remaining: 0, rejected: 0, stopped: [] })
    await outbox.retry()
    this.model.mark(this.model.namesIn('dead'), 'waiting')
    expect(await outbox.flush()).toMatchObject({ remaining: 0, rejected: 0, stopped: [] })
    await this.compare(outbox)
    const stored = COLLECTIONS.flatMap((collection) => this.model.service.names(collection))
    expect(stored.toSorted()).toEqual(this.model.namesIn('acknowledged').toSorted())
    expect(this.model.namesIn('waiting')).toEqual([])
    for (const one of [...this.outboxes, outbox]) await one.close({ signal: AbortSignal.abort() })
  }
}

const nameOf = ({ entry: { name = '' } }: StoredCatch) => name

test('after any operations on two outboxes with one file, catches are stored once and in order, and counts match the model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25, size: 'max' }), async (steps) => {
      const play = new Play(join(await testFolder(), 'outbox.db'))
      for (const each of steps) await play.take(each)
      await play.finish()
    }),
    // The test fails if a sequence hangs or shrinking takes too long. Even a busy machine needs only a fifth of this
    // limit.
    { numRuns: 40, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true },
  )
}, 120_000)
