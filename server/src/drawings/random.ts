/** Random numbers that are seeded with a text: the same text always gives the same numbers. */
export interface Dice {
  /** A number from `from` to `to`. */
  between(from: number, to: number): number
  /** One of the items. */
  pick<Item>(items: readonly [Item, ...Item[]]): Item
}

/** Mulberry32, seeded with the FNV-1a hash of a text: https://github.com/bryc/code/blob/master/jshash/PRNGs.md */
export function createDice(text: string): Dice {
  let state = fnv1a(text)
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
  return {
    between: (from, to) => from + next() * (to - from),
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
  }
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash
}
