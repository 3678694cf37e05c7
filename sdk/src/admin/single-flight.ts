import { untilAborted } from '../client/clock.ts'

interface Flight<Result> {
  readonly work: Promise<Result>
  readonly ending: AbortController
  waiting: number
}

/**
 * Work that all who ask for it at the same time share. Each may leave by its own signal; the work is aborted when all
 * have left, and who asks after that begins anew.
 */
export function singleFlight<Result>(
  start: (signal: AbortSignal) => Promise<Result>,
): (signal: AbortSignal | undefined) => Promise<Result> {
  let current: Flight<Result> | undefined

  function begin(): Flight<Result> {
    const ending = new AbortController()
    const flight: Flight<Result> = { work: start(ending.signal), ending, waiting: 0 }
    const land = () => {
      if (current === flight) current = undefined
    }
    flight.work.then(land, land)
    return flight
  }

  return async (signal) => {
    signal?.throwIfAborted()
    current ??= begin()
    const flight = current
    flight.waiting += 1
    try {
      return await untilAborted(() => flight.work, signal)
    } finally {
      flight.waiting -= 1
      if (flight.waiting === 0) {
        if (current === flight) current = undefined
        flight.ending.abort()
      }
    }
  }
}
