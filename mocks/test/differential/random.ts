import { seededNumbers } from '../../../sdk/src/internal/seeded-numbers.ts'

/** Pseudorandom choices: the same ones for the same seed on every machine. */
export interface Random {
  /** A whole number from 0 to below `count`. */
  below(count: number): number
  /** Whether something happens that happens in this share of all cases. */
  chance(share: number): boolean
  /** One of a list. */
  pick<Item>(list: readonly Item[]): Item
  /** One of a list in which each has a weight. */
  weighted<Item>(list: readonly (readonly [weight: number, item: Item])[]): Item
  bytes(count: number): Uint8Array<ArrayBuffer>
}

/** Creates the choices of a seed. */
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
