import type { Sleeper, Time } from './time.ts'

/** Turns of the event loop without activity after which all clients are considered asleep. */
const QUIET_TURNS = 20
/** Number of turns (about a second) after which a request is assumed to wait for something outside of this mock. */
const MAX_TURNS = 200_000

/** Moves a time from one wake-up to the next. Before each wake-up, all requests have completed or sleep. */
export function createMoves({ now, count, moveBy }: Time) {
  let busy = 0
  let changes = 0
  let last: Promise<void> = Promise.resolve()

  async function waitUntilIdle(): Promise<void> {
    let quiet = 0
    let seen = changes
    await flushTasks((turns) => {
      // Every request in flight has a timeout on this clock, and a request that is delayed by a fault also has a held
      // response.
      const areClientsAsleep = busy === 0 && count('timeoutMs') <= count('hold')
      quiet = changes === seen && areClientsAsleep ? quiet + 1 : 0
      seen = changes
      return quiet < QUIET_TURNS && turns < MAX_TURNS
    })
  }

  return {
    recordChange(): void {
      changes += 1
    },
    during<Result>(work: () => Promise<Result>): Promise<Result> {
      busy += 1
      return work().finally(() => {
        busy -= 1
        changes += 1
      })
    },
    /**
     * Moves after all earlier moves.
     * @param limit the distance in milliseconds; with `Infinity`, the move ends when `next` returns `undefined`
     */
    move(limit: number, next: () => Sleeper | undefined, isCancelled = () => false): Promise<void> {
      const moved = last.then(async () => {
        let remaining = limit
        await waitUntilIdle()
        while (!isCancelled()) {
          const distance = Math.max(0, (next()?.wakeAt ?? Number.POSITIVE_INFINITY) - now())
          const isEnd = !Number.isFinite(distance) || distance > remaining
          if (isEnd) return moveBy(Number.isFinite(remaining) ? remaining : 0)
          moveBy(distance)
          remaining -= distance
          await waitUntilIdle()
        }
      })
      last = moved.catch(() => {})
      return moved
    },
  }
}

/** Waits for turns of the event loop, one by default. Fake timers do not affect this function. */
export async function flushTasks(shouldContinue: (turns: number) => boolean = () => false): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  let turns = 0
  do {
    turns += 1
    await new Promise((resolve) => {
      port1.onmessage = resolve
      port2.postMessage(undefined)
    })
  } while (shouldContinue(turns))
  port1.close()
}
