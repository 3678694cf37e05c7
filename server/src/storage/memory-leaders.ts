import type { Leader } from './types.ts'

/** More entries first, then the owner whose id comes first. */
function isAhead(one: Leader, other: Leader): boolean {
  return one.count === other.count ? one.owner < other.owner : one.count > other.count
}

/** Owners in memory in the order of a leader board, so that its top costs what it holds. */
export class LeaderBoard {
  readonly #counts = new Map<string, number>()
  readonly #ranking: Leader[] = []

  /** The best owners, each with at least one entry. */
  top(limit: number): Leader[] {
    return this.#ranking.slice(0, limit)
  }

  /** Adds to what an owner has; a negative number takes away. */
  add(owner: string, entries: number): void {
    const before = this.#counts.get(owner) ?? 0
    const count = before + entries
    if (before > 0) this.#ranking.splice(this.#place({ owner, count: before }), 1)
    if (count > 0) {
      this.#counts.set(owner, count)
      const leader = { owner, count }
      this.#ranking.splice(this.#place(leader), 0, leader)
    } else {
      this.#counts.delete(owner)
    }
  }

  /** How many are ahead of this one. */
  #place(one: Leader): number {
    let low = 0
    let high = this.#ranking.length
    while (low < high) {
      const middle = (low + high) >> 1
      const found = this.#ranking[middle]
      if (found && isAhead(found, one)) low = middle + 1
      else high = middle
    }
    return low
  }
}
