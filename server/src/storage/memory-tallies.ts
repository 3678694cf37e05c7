import { LeaderBoard } from './memory-leaders.ts'
import type { Collection, Leader, LeaderRange, NewRecord, Tally } from './types.ts'

/** The sums that are kept beside the records in memory. */
export class MemoryTallies {
  readonly #tallies = new Map<string, Tally>()
  /** By kind, and by kind and gamemode. */
  readonly #boards = new Map<string, LeaderBoard>()

  /** Counts a record that was stored, or with -1 one that was removed. */
  count({ owner, kind, gamemode }: Collection, { count, labels }: NewRecord, sign: 1 | -1): void {
    this.#add({ kind, gamemode, label: null, count: sign * count })
    for (const [label, carriers] of Object.entries(labels)) {
      this.#add({ kind, gamemode, label, count: sign * carriers })
    }
    this.#board(kind).add(owner, sign * count)
    this.#board(kind, gamemode).add(owner, sign * count)
  }

  list(): Tally[] {
    return [...this.#tallies.values()]
  }

  leaders({ kind, gamemode, limit }: LeaderRange): Leader[] {
    return this.#board(kind, gamemode).top(limit)
  }

  #add({ kind, gamemode, label, count }: Tally): void {
    const key = JSON.stringify([kind, gamemode, label])
    const sum = (this.#tallies.get(key)?.count ?? 0) + count
    if (sum > 0) this.#tallies.set(key, { kind, gamemode, label, count: sum })
    else this.#tallies.delete(key)
  }

  #board(kind: string, gamemode?: string): LeaderBoard {
    const key = JSON.stringify(gamemode === undefined ? [kind] : [kind, gamemode])
    const board = this.#boards.get(key) ?? new LeaderBoard()
    this.#boards.set(key, board)
    return board
  }
}
