import { setTimeout as wait } from 'node:timers/promises'
import { type CreatedUser, RARITIES, type Saved } from '@fish-crab/sdk/contract'
import { createFernet } from '@fish-crab/sdk/fernet'
import type { Journal } from './journal.ts'

/**
 * A request without a response for this long counts as hung. The server promises a response within 10 s, even while its
 * disk stalls.
 */
const HANGS_AFTER_MS = 15_000

/** Runs clients that post one catch after the other. Each client repeats a catch until the catch is acknowledged. */
export class Load {
  hung = 0
  /** The number of failed requests. Clients send failed requests again. */
  failed = 0
  /** The statuses below 500 of failed requests. A retry does not help against such a status. */
  readonly refused = new Set<number>()
  readonly #journal: Journal
  readonly #addressOf: (client: number) => string
  #isOver = false
  #waiting: (() => void)[] = []
  readonly #clients: readonly Promise<void>[]

  constructor(
    players: readonly CreatedUser[],
    journal: Journal,
    addressOf: (client: number) => string,
    { clients = 16, pauseMs = 0 }: { readonly clients?: number; readonly pauseMs?: number } = {},
  ) {
    this.#journal = journal
    this.#addressOf = addressOf
    this.#clients = Array.from({ length: clients }, (_, client) => {
      const player = players[client % players.length]
      if (!player) throw new Error('A load needs players.')
      return this.#run(client, player, pauseMs)
    })
  }

  /** Waits until `count` more catches are acknowledged. */
  async acknowledgements(count = 1): Promise<void> {
    for (let left = count; left > 0; left -= 1) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
      })
    }
  }

  /** Ends the load after the last catch of every client is acknowledged. The service must be running. */
  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients)
  }

  async #run(client: number, player: CreatedUser, pauseMs: number): Promise<void> {
    const fernet = createFernet(player.fernetKey)
    for (let number = 1; !this.#isOver; number += 1) {
      const [name, rarity] = [`${client} ${number}`, RARITIES[number % RARITIES.length] ?? RARITIES[0]]
      this.#journal.send({ player: player.name, name, rarity: rarity.label })
      const token = await fernet.encrypt(JSON.stringify({ fish: name, rarity: rarity.value }))
      // Every client sends the same token until the service acknowledges it.
      for (;;) {
        const id = await this.#post(client, player, token)
        if (id !== undefined) {
          await this.#journal.acknowledge(name, id)
          break
        }
        await wait(20)
      }
      const waiting = this.#waiting
      this.#waiting = []
      for (const resolve of waiting) resolve()
      if (pauseMs > 0) await wait(pauseMs)
    }
  }

  async #post(client: number, { name, apiKey }: CreatedUser, token: string): Promise<string | undefined> {
    try {
      const response = await fetch(`${this.#addressOf(client)}/post/fish?name=${name}`, {
        method: 'POST',
        body: token,
        headers: { 'content-type': 'application/octet-stream', 'x-gamemode': 'earth', 'x-api-key': apiKey },
        signal: AbortSignal.timeout(HANGS_AFTER_MS),
      })
      const body = await response.text()
      if (response.ok) return (JSON.parse(body) as Saved).id
      if (response.status < 500) this.refused.add(response.status)
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') this.hung += 1
    }
    this.failed += 1
    return undefined
  }
}
