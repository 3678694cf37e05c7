import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FishStorage } from '../storage/index.ts'
import { newRecord, readEntries } from './samples.ts'

const few = (...names: string[]) => fc.constantFrom(...names)
const place = { owner: few('o1', 'o2'), kind: few('fish', 'crab') }

const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant('append' as const), ...place, token: few('a', 'b', 'c', '') }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('removeOwner' as const), owner: few('o1', 'o2') }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('read' as const), ...place }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('set' as const), key: few('a', 'b'), value: fc.string() }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('add' as const), key: few('a', 'b'), value: fc.string() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('delete' as const), key: few('a', 'b') }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('list' as const) }) },
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

/** What a storage is, as simply as it can be said. */
class Model {
  readonly tokens = new Map<string, string>()
  readonly entries = new Map<string, string[]>()
  readonly removed = new Set<string>()
  readonly items = new Map<string, string>()

  append(owner: string, kind: string, token: string, id: string, entries: string) {
    if (this.removed.has(owner)) return { outcome: 'owner_removed' }
    const first = this.tokens.get(`${owner} ${token}`)
    if (token && first !== undefined) return { outcome: 'replayed', id: first }
    if (token) this.tokens.set(`${owner} ${token}`, id)
    this.entries.set(`${owner} ${kind}`, [...this.read(owner, kind), entries])
    return { outcome: 'stored', id }
  }

  read(owner: string, kind: string): string[] {
    return this.removed.has(owner) ? [] : (this.entries.get(`${owner} ${kind}`) ?? [])
  }
}

/** Does one operation to both; answers what the storage said and what it should have said. */
async function step(storage: FishStorage, model: Model, world: string, operation: Operation) {
  const base = `${world}:`
  switch (operation.type) {
    case 'append': {
      const record = newRecord({ dedupeKey: operation.token || null })
      const collection = { owner: `${world}${operation.owner}`, kind: operation.kind, gamemode: 'earth' }
      const expected = model.append(operation.owner, operation.kind, operation.token, record.id, record.plain)
      return [await storage.append(collection, record), expected]
    }
    case 'removeOwner':
      model.removed.add(operation.owner)
      return [await storage.removeOwner(`${world}${operation.owner}`), undefined]
    case 'read': {
      const collection = { owner: `${world}${operation.owner}`, kind: operation.kind, gamemode: 'earth' }
      return [await readEntries(storage, collection), model.read(operation.owner, operation.kind)]
    }
    case 'set':
      model.items.set(operation.key, operation.value)
      return [await storage.items.setItem(base + operation.key, operation.value), undefined]
    case 'add': {
      const free = !model.items.has(operation.key)
      if (free) model.items.set(operation.key, operation.value)
      return [await storage.setItemIfAbsent(base + operation.key, operation.value), free]
    }
    case 'delete':
      model.items.delete(operation.key)
      return [await storage.items.removeItem(base + operation.key), undefined]
    case 'list': {
      const items = [...model.items].sort().map(([key, value]) => ({ key: base + key, value }))
      return [await storage.listItems({ base, limit: 9 }), { items }]
    }
  }
}

/** Any sequence of operations against a model. */
export function describeModel(storage: () => FishStorage): void {
  test('answers any sequence of operations like a simple model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
        const model = new Model()
        const world = randomUUID()
        for (const one of operations) {
          const [actual, expected] = await step(storage(), model, world, one)
          expect(actual).toEqual(expected)
        }
      }),
      { numRuns: 40 },
    )
  })
}
