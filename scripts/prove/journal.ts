import { type FileHandle, open } from 'node:fs/promises'
import type { RarityLabel } from '@fish-crab/sdk/contract'

/**
 * A catch as a client sent it. The name consists of the client's number and a number that increases with each catch.
 */
export interface SentCatch {
  readonly player: string
  readonly name: string
  readonly rarity: RarityLabel
}

/** A catch as the service returns it. */
export interface StoredCatch {
  readonly id: string
  readonly name: string
  readonly rarity: RarityLabel
}

/** The numbers of damaged catches, by kind of damage. */
export interface Damage {
  /** Acknowledged, but not stored. */
  readonly lost: number
  /** Stored more than once. */
  readonly doubled: number
  /** Stored, but not as sent. */
  readonly torn: number
  /** Acknowledged with a wrong id, or with several ids. */
  readonly falselyAcknowledged: number
  /** Stored before an earlier catch of the same client. */
  readonly disordered: number
}

export const NO_DAMAGE: Damage = { lost: 0, doubled: 0, torn: 0, falselyAcknowledged: 0, disordered: 0 }

/**
 * Records sent and acknowledged catches. The journal flushes each acknowledgement to disk before the client sends the
 * next catch.
 */
export class Journal {
  readonly sent = new Map<string, SentCatch>()
  /** The longest time from sending a catch to its acknowledgement, in milliseconds. */
  slowestMs = 0
  /**
   * The id and the time (Unix time in milliseconds) of the first acknowledgement of each catch, by the catch's name.
   */
  readonly acknowledged = new Map<string, { readonly id: string; readonly at: number }>()
  readonly #sentAt = new Map<string, number>()
  #contradictions = 0
  readonly #file: FileHandle

  private constructor(file: FileHandle) {
    this.#file = file
  }

  static async create(path: string): Promise<Journal> {
    return new Journal(await open(path, 'a'))
  }

  /** Records the first attempt to send a catch. */
  send(one: SentCatch): void {
    this.sent.set(one.name, one)
    this.#sentAt.set(one.name, performance.now())
  }

  async acknowledge(name: string, id: string): Promise<void> {
    const at = performance.timeOrigin + performance.now()
    await this.#file.write(`${name} ${id}\n`)
    await this.#file.datasync()
    this.slowestMs = Math.max(this.slowestMs, performance.now() - (this.#sentAt.get(name) ?? 0))
    const before = this.acknowledged.get(name)
    if (before === undefined) this.acknowledged.set(name, { id, at })
    else if (before.id !== id) this.#contradictions += 1
  }

  /**
   * @param stored the collections by player
   * @param until acknowledgements after this time do not count
   */
  compare(stored: ReadonlyMap<string, readonly StoredCatch[]>, until = Number.POSITIVE_INFINITY): Damage {
    const ids = new Map<string, string>()
    const last = new Map<string, number>()
    const damage = { ...NO_DAMAGE, falselyAcknowledged: this.#contradictions }
    for (const [player, catches] of stored) {
      for (const { id, name, rarity } of catches) {
        const sent = this.sent.get(name)
        if (sent === undefined || sent.player !== player || sent.rarity !== rarity) damage.torn += 1
        if (ids.has(name)) damage.doubled += 1
        ids.set(name, id)
        const [client = '', number = 0] = [name.split(' ')[0], Number(name.split(' ')[1])]
        if (number <= (last.get(client) ?? 0)) damage.disordered += 1
        last.set(client, number)
      }
    }
    for (const [name, { id, at }] of this.acknowledged) {
      if (at > until) continue
      const found = ids.get(name)
      if (found === undefined) damage.lost += 1
      else if (found !== id) damage.falselyAcknowledged += 1
    }
    return damage
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }
}
