import { join } from 'node:path'
import {
  memoryStore,
  type NewCatch,
  type Outbox,
  type OutboxStore,
  openOutbox,
  type StoredCatch,
  sqliteStore,
} from '@fish-crab/sdk/outbox'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { settle } from './clocks.ts'
import { fakeService, limited, lost, refusal, type Sent } from './fake-service.ts'
import { testFolder } from './folders.ts'

const COLLECTIONS = ['fish/Alex/earth', 'fish/Sam/earth', 'crab/Alex/earth'] as const
const PREFIXES = ['one.log:', 'other.log:']
const TREATMENTS = [
  ...['ok', 'ok', 'ok', 'request lost', 'response lost', 'unavailable', 'limited', 'no such user', 'aborted'],
] as const
const step = fc.record({
  operation: fc.constantFrom(
    ...(['add', 'add', 'import', 'import', 'flush', 'flush', 'flush both', 'kill', 'reopen', 'cancel'] as const),
    ...(['retry', 'drop', 'reset key'] as const),
  ),
  opener: fc.nat(1),
  collection: fc.constantFrom(...COLLECTIONS),
  count: fc.integer({ min: 1, max: 9 }),
  /** Which of the added catches the service refuses while it is strict. */
  invalidAt: fc.option(fc.nat(8), { nil: undefined }),
  prefix: fc.constantFrom(...PREFIXES),
  isOfAll: fc.boolean(),
  isStrict: fc.boolean(),
  treatments: fc.array(fc.constantFrom(...TREATMENTS), { minLength: 1, maxLength: 5 }),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

interface Catch {
  readonly name: string
  readonly collection: string
  readonly key: string | undefined
  state: 'waiting' | 'dead' | 'acknowledged' | 'cancelled' | 'dropped'
  wasDead: boolean
}

class Play {
  private readonly service = fakeService()
  private readonly catches: Catch[] = []
  /** The names of the batch of each collection that has no response yet. */
  private readonly frozen = new Map<string, readonly string[]>()
  private readonly storedTokens = new Set<string>()
  private readonly killed: Outbox[] = []
  private readonly outboxes: Outbox[] = []
  private treatments: readonly (typeof TREATMENTS)[number][] = ['ok']
  private isStrict = false
  private count = 0
  private now = Date.UTC(2026, 0, 1)
  private abort = new AbortController()
  private readonly openStore: () => Promise<OutboxStore>

  constructor(openStore: () => Promise<OutboxStore>) {
    this.openStore = openStore
    this.service.before = (sent) => this.receive(sent)
    this.service.after = (sent) => this.respond(sent)
  }

  async open(): Promise<Outbox> {
    return openOutbox({
      clientFor: () => this.service.client(),
      gamemode: 'earth',
      store: await this.openStore(),
      maxBatch: 4,
      clock: {
        now: () => this.now,
        // Requests that are in flight have their response before a wait ends.
        sleep: async (ms) => {
          await settle()
          this.now += ms
        },
      },
      random: () => 0,
    })
  }

  private namesIn(state: Catch['state']): string[] {
    return this.catches.filter((one) => one.state === state).map(({ name }) => name)
  }

  private mark(names: readonly string[], state: Catch['state']): void {
    for (const one of this.catches) {
      if (!names.includes(one.name)) continue
      one.state = state
      if (state === 'dead') one.wasDead = true
    }
  }

  private receive({ kind, user, gamemode, token, names }: Sent): void {
    const collection = `${kind}/${user}/${gamemode}`
    this.frozen.set(collection, names)
    const [treatment = 'ok', ...others] = this.treatments
    if (treatment === 'request lost') this.treatments = others
    if (treatment === 'request lost') throw lost()
    const isStored = this.storedTokens.has(token)
    if (treatment === 'unavailable' || treatment === 'limited') {
      this.treatments = others
      throw treatment === 'limited' ? limited(this.now + 100_000) : refusal('storage_error')
    }
    if (isStored) return
    if (JSON.parse(token).key !== this.service.key) return void this.frozen.delete(collection)
    if (treatment === 'no such user') {
      this.treatments = others
      this.frozen.delete(collection)
      const isWaiting = (one: Catch) => one.collection === collection && one.state === 'waiting'
      this.mark(
        this.catches.filter(isWaiting).map(({ name }) => name),
        'dead',
      )
      throw refusal('user_not_found')
    }
    if (this.isStrict && names.some((name) => name.endsWith('!'))) {
      this.frozen.delete(collection)
      if (names.length === 1) this.mark(names, 'dead')
      throw refusal('invalid_payload')
    }
  }

  private async respond({ kind, user, gamemode, token, names }: Sent): Promise<void> {
    this.storedTokens.add(token)
    const [treatment = 'ok', ...others] = this.treatments
    this.treatments = others
    if (treatment === 'response lost') throw lost()
    if (treatment === 'aborted') {
      this.abort.abort(new Error('aborted'))
      return new Promise(() => {})
    }
    await new Promise(setImmediate)
    this.frozen.delete(`${kind}/${user}/${gamemode}`)
    this.mark(names, 'acknowledged')
  }

  private async add(outbox: Outbox, { operation, collection, count, invalidAt, prefix }: Step): Promise<void> {
    const [kind, user] = collection.split('/') as ['fish' | 'crab', string]
    const added = Array.from({ length: count }, (_, at): Catch => {
      const key = operation === 'import' ? `${prefix}${collection} ${at}` : undefined
      const name = `${this.count++}${at === invalidAt ? '!' : ''}`
      return { name, collection, key, state: 'waiting', wasDead: false }
    })
    const isKnown = (key: string | undefined) => key !== undefined && this.catches.some((one) => one.key === key)
    const fresh = added.filter(({ key }) => !isKnown(key))
    const fields = { kind, user, ...(kind === 'fish' && { rarity: 1 }) }
    const sent = added.map(({ name, key }) => ({ ...fields, name, key }) as NewCatch)
    const expected = { added: fresh.length, duplicates: count - fresh.length }
    expect(await outbox.add(sent)).toMatchObject({ ...expected, addedIndexes: fresh.map((one) => added.indexOf(one)) })
    this.catches.push(...fresh)
  }

  private async cancel(outbox: Outbox, { prefix, isOfAll, isStrict }: Step): Promise<void> {
    const frozen = [...this.frozen.values()].flat()
    const isMeant = ({ state, key }: Catch) => state === 'waiting' && (isOfAll || key?.startsWith(prefix) === true)
    const [meant, dryRun] = [this.catches.filter(isMeant).map(({ name }) => name), isStrict]
    const cancelled = meant.filter((name) => !frozen.includes(name))
    const outcome = await outbox.cancel({ ...(isOfAll ? {} : { keyPrefix: prefix }), dryRun })
    expect(outcome).toEqual({ cancelled: cancelled.length, frozen: meant.length - cancelled.length })
    if (!dryRun) this.mark(cancelled, 'cancelled')
  }

  private async settleDeadLetters(outbox: Outbox, { operation, isOfAll, count }: Step): Promise<void> {
    const letters = await outbox.deadLetters()
    const chosen = isOfAll ? letters : letters.slice(0, 1 + (count % 2))
    const [ids, names] = [chosen.map(({ id }) => id), chosen.flatMap(({ catches }) => catches.map(nameOf))]
    const settled = operation === 'drop' ? outbox.drop(ids) : outbox.retry(isOfAll ? undefined : ids)
    expect(await settled).toBe(names.length)
    this.mark(names, operation === 'drop' ? 'dropped' : 'waiting')
  }

  async take(step: Step): Promise<void> {
    while (this.outboxes.length < 2) this.outboxes.push(await this.open())
    const [outbox, other] = (step.opener ? this.outboxes : this.outboxes.toReversed()) as [Outbox, Outbox]
    const replace = async () => this.outboxes.splice(this.outboxes.indexOf(outbox), 1, await this.open())
    const { operation } = step
    this.isStrict = step.isStrict
    this.abort = new AbortController()
    // A killed process sends nothing more, and its lease stays.
    this.treatments = operation === 'kill' ? [...step.treatments, 'aborted'] : step.treatments
    if (operation === 'add' || operation === 'import') await this.add(outbox, step)
    else if (operation === 'cancel') await this.cancel(outbox, step)
    else if (operation === 'retry' || operation === 'drop') await this.settleDeadLetters(outbox, step)
    else if (operation === 'reset key') this.service.key += '+'
    else if (operation === 'kill') {
      const flushing = outbox.flush().catch(() => {})
      const aborted = new Promise((resolve) => this.abort.signal.addEventListener('abort', resolve))
      await Promise.race([flushing, aborted])
      this.killed.push(outbox)
      await replace()
    } else if (operation === 'reopen') {
      await outbox.close()
      await replace()
    } else {
      const { signal } = this.abort
      const flushes = operation === 'flush' ? [outbox] : [outbox, other]
      for (const { status, ...flush } of await Promise.allSettled(flushes.map((one) => one.flush({ signal })))) {
        expect(status === 'fulfilled' || signal.aborted, JSON.stringify(flush)).toBe(true)
      }
    }
    for (const one of this.outboxes) await this.compare(one)
  }

  private async compare(outbox: Outbox): Promise<void> {
    const waiting = this.namesIn('waiting')
    expect((await outbox.peek(1000)).map(nameOf)).toEqual(waiting)
    const dead = (await outbox.deadLetters()).flatMap(({ catches }) => catches.map(nameOf))
    expect(dead.toSorted()).toEqual(this.namesIn('dead').toSorted())
    const frozen = [...this.frozen.values()].flat().length
    expect(await outbox.status()).toMatchObject({ queued: waiting.length - frozen, frozen, dead: dead.length })
    for (const collection of COLLECTIONS) {
      const stored = this.service.names(collection)
      const own = this.catches.filter((one) => one.collection === collection && stored.includes(one.name))
      expect(stored).toHaveLength(own.length)
      expect(own.filter(({ state }) => state === 'cancelled' || state === 'dropped')).toEqual([])
      const inOrder = own.filter(({ wasDead }) => !wasDead).map(({ name }) => name)
      expect(stored.filter((name) => inOrder.includes(name ?? ''))).toEqual(inOrder)
    }
  }

  async finish(): Promise<void> {
    const outbox = await this.open()
    Object.assign(this, { treatments: [], isStrict: false })
    expect(await outbox.flush()).toMatchObject({ left: 0, dead: 0, stopped: [], leased: [] })
    await outbox.retry()
    this.mark(this.namesIn('dead'), 'waiting')
    expect(await outbox.flush()).toMatchObject({ left: 0, dead: 0, stopped: [], leased: [] })
    await this.compare(outbox)
    const stored = COLLECTIONS.flatMap((collection) => this.service.names(collection))
    expect(stored.toSorted()).toEqual(this.namesIn('acknowledged').toSorted())
    expect(this.namesIn('waiting')).toEqual([])
    for (const one of [...this.killed, ...this.outboxes, outbox]) await one.close({ signal: AbortSignal.abort() })
  }
}

const nameOf = ({ entry: { name = '' } }: StoredCatch) => name

async function openMemory(): Promise<() => Promise<OutboxStore>> {
  const store = memoryStore()
  return async () => ({ ...store, close() {} })
}

async function openFile(): Promise<() => Promise<OutboxStore>> {
  const path = join(await testFolder(), 'outbox.db')
  return () => sqliteStore(path)
}

test.each([
  ['memory', openMemory, 50],
  ['a file', openFile, 30],
] as const)(
  'in %s, whatever two openers meet, catches are stored once and in order, and figures are those of the model',
  async (_, openStores, numRuns) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25, size: 'max' }), async (steps) => {
        const play = new Play(await openStores())
        for (const each of steps) await play.take(each)
        await play.finish()
      }),
      // Also ends the search for a shorter sequence.
      { numRuns, interruptAfterTimeLimit: 20_000 },
    )
  },
  60_000,
)
