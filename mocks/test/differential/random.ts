import { seededNumbers } from '../../../scripts/test-support/seeded-numbers.ts'

/** Pseudorandom choices, which depend only on the seed and are therefore identical on every machine. */
export interface Random {
  /** Returns an integer from 0 to `count - 1`. */
  below(count: number): number
  /** Returns `true` with the given probability, from 0 to 1. */
  chance(share: number): boolean
  /** Picks an item from a list. */
  pick<Item>(list: readonly Item[]): Item
  /** Picks an item from a list of weighted items. */
  weighted<Item>(list: readonly (readonly [weight: number, item: Item])[]): Item
  bytes(count: number): Uint8Array<ArrayBuffer>
}

/** Creates the pseudorandom choices for a seed. */
export function createRandom(seed: number): Random {
  const next = seededNumbers(seed)
  const below = (count: number) => Math.floor(next() * count)
  return {
    below,
    chance: (share) => next() < share,
    pick: (list) => itemAt(list, below(list.length)),
    weighted(list) {
      let left = next() * list.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, item] of list) {
        left -= weight
        if (left < 0) return item
      }
      return itemAt(list, list.length - 1)[1]
    },
    bytes: (count) => Uint8Array.from({ length: count }, () => below(256)),
  }
}

function itemAt<Item>(list: readonly Item[], index: number): Item {
  if (index < 0 || index >= list.length) throw new RangeError('The list is empty.')
  return list[index] as Item
}
