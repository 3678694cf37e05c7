import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Collection, FishStorage, Tally } from '../storage/index.ts'
import { newRecord, readAll, talliesOf } from './samples.ts'

const OWNERS = ['a', 'b', 'c']
const GAMEMODES = ['earth', 'sky']
const KINDS = ['fish', 'crab']
const few = (names: readonly string[]) => fc.constantFrom(...names)

const operation = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      type: fc.constant('append' as const),
      owner: few(OWNERS),
      kind: few(KINDS),
      gamemode: few(GAMEMODES),
      token: few(['', 't1', 't2', 't3', 't4']),
      rarities: fc.array(few(['Gold', 'Silver', '']), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('removeRecord' as const), which: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('removeOwner' as const), owner: few(OWNERS) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('setItem' as const), key: few(['a', 'b', 'c:d', 'c:e']) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('removeItem' as const), key: few(['a', 'b', 'c:d', 'c:e']) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('clear' as const) }) },
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

/** Owners, kinds and items that no other run has. */
class World {
  readonly name = randomUUID()
  readonly base = `${this.name}:`
  readonly kinds = KINDS.map((kind) => `${this.name}-${kind}`)
  readonly storage: FishStorage
  readonly #sent: { id: string; place: Collection }[] = []

  constructor(storage: FishStorage) {
    this.storage = storage
  }

  place(owner: string, kind: string, gamemode: string): Collection {
    return { owner: `${this.name}-${owner}`, kind: `${this.name}-${kind}`, gamemode }
  }

  do(one: Operation): Promise<unknown> {
    const { storage, base } = this
    switch (one.type) {
      case 'append': {
        const place = this.place(one.owner, one.kind, one.gamemode)
        const labels = countBy(one.rarities.filter(Boolean))
        const plain = one.rarities.map((rarity) => JSON.stringify(rarity)).join(',')
        const record = newRecord({ dedupeKey: one.token || null, count: one.rarities.length, labels, plain })
        this.#sent.push({ id: record.id, place })
        return storage.append(place, record)
      }
      case 'removeRecord': {
        const sent = this.#sent[one.which % Math.max(1, this.#sent.length)]
        return sent ? storage.removeRecord(sent.place, sent.id) : Promise.resolve()
      }
      case 'removeOwner':
        return storage.removeOwner(`${this.name}-${one.owner}`)
      case 'setItem':
        return storage.items.setItem(base + one.key, 'value')
      case 'removeItem':
        return storage.items.removeItem(base + one.key)
      case 'clear':
        return storage.items.clear(`${base}c`)
    }
  }

  /** Reads everything and counts it again. */
  async recount(): Promise<{ tallies: Tally[]; totals: Map<string, Map<string, number>> }> {
    const tallies = new Map<string, Tally>()
    const totals = new Map<string, Map<string, number>>()
    const add = (board: string, owner: string, count: number) => {
      const counts = totals.get(board) ?? new Map<string, number>()
      totals.set(board, counts.set(owner, (counts.get(owner) ?? 0) + count))
    }
    const places = OWNERS.flatMap((owner) =>
      KINDS.flatMap((kind) => GAMEMODES.map((gamemode) => this.place(owner, kind, gamemode))),
    )
    for (const { owner, kind, gamemode } of places) {
      for (const { entries } of await readAll(this.storage, { owner, kind, gamemode })) {
        const rarities: string[] = JSON.parse(`[${entries}]`)
        for (const label of [...rarities.map(() => null), ...rarities.filter(Boolean)]) {
          const key = JSON.stringify([kind, gamemode, label])
          tallies.set(key, { kind, gamemode, label, count: (tallies.get(key)?.count ?? 0) + 1 })
        }
        for (const board of [kind, `${kind} ${gamemode}`]) add(board, owner, rarities.length)
      }
    }
    return { tallies: [...tallies.values()], totals }
  }

  async check(): Promise<void> {
    const { tallies, totals } = await this.recount()
    const kept = (await Promise.all(this.kinds.map((kind) => talliesOf(this.storage, kind)))).flat()
    const sorted = (list: readonly Tally[]) => list.map((tally) => JSON.stringify(tally)).sort()
    expect(sorted(kept)).toEqual(sorted(tallies))
    for (const kind of this.kinds) {
      for (const gamemode of [undefined, ...GAMEMODES]) {
        const board = [...(totals.get(gamemode === undefined ? kind : `${kind} ${gamemode}`) ?? [])]
        const expected = board
          .map(([owner, count]) => ({ owner, count }))
          .sort((one, other) => other.count - one.count || (one.owner < other.owner ? -1 : 1))
        expect(await this.storage.leaders({ kind, gamemode, limit: 100 })).toEqual(expected)
        expect(await this.storage.leaders({ kind, gamemode, limit: 2 })).toEqual(expected.slice(0, 2))
      }
    }
    for (const base of [this.base, `${this.base}c:`]) {
      expect(await this.storage.countItems(base)).toBe(
        (await this.storage.listItems({ base, limit: 100 })).items.length,
      )
    }
  }
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** The sums against what reading everything finds. */
export function describeRecount(storage: () => FishStorage): void {
  const operations = fc.array(operation, { maxLength: 60 })

  test('tallies, leaders and counters equal a recount after any sequence of operations', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (sequence) => {
        const world = new World(storage())
        for (const one of sequence) await world.do(one)
        await world.check()
      }),
      { numRuns: 25 },
    )
  })

  test('tallies, leaders and counters equal a recount after any operations at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operations, { maxLength: 4 }), async (rounds) => {
        const world = new World(storage())
        for (const round of rounds) await Promise.all(round.map((one) => world.do(one)))
        await world.check()
      }),
      { numRuns: 25 },
    )
  })
}
