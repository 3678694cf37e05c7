import { HEADERS, ROUTES } from '@fish-crab/sdk/contract'
import * as expect from './expect.ts'
import type { Send } from './send.ts'

export type Anonymous = ReturnType<typeof createAnonymous>

interface AnonymousOptions {
  readonly send: Send
  /** Requests per window, if configured. */
  readonly limit: number | undefined
  readonly maxWaitMs: number
  readonly wait: (milliseconds: number) => Promise<void>
}

/** Timers may fire slightly early. */
const MARGIN_MS = 50

/** Returns the end of the window in Unix seconds, or NaN if the response was not counted. */
export function windowEnd({ headers }: expect.ReceivedResponse): number {
  return Number(headers.get(HEADERS.rateReset) ?? Number.NaN)
}

export function createAnonymous({ send, limit, maxWaitMs, wait }: AnonymousOptions) {
  let left: number | undefined
  let end = Number.NaN

  const counted: Send = async (path, init) => {
    const response = await send(path, init)
    const remaining = response.headers.get(HEADERS.rateRemaining)
    if (remaining !== null) left = Number(remaining)
    end = windowEnd(response)
    return response
  }

  async function known(): Promise<number> {
    if (left === undefined) await counted(ROUTES.status.path)
    expect.that(left !== undefined && left >= 0, `${HEADERS.rateRemaining} on a counted response`, 'no such header')
    return left
  }

  /**
   * Returns the milliseconds until the window ends, by the clock of the service, which may differ from the local clock.
   */
  async function untilReset(): Promise<number> {
    const response = await counted(ROUTES.status.path)
    if (response.status === 429) return expect.integer(response, HEADERS.retryAfter) * 1000
    const now = expect.dateTime(expect.json(response).timestamp, '"timestamp"', response)
    return Math.max(0, expect.integer(response, HEADERS.rateReset) * 1000 - now)
  }

  async function waitForNextWindow(): Promise<void> {
    const waitMs = (await untilReset()) + MARGIN_MS
    if (waitMs > maxWaitMs) {
      const seconds = Math.ceil(waitMs / 1000)
      throw new expect.CheckSkipped(
        `too few requests are left in the window of this client, which ends in ${seconds} s, later than maxWaitMs allows`,
      )
    }
    await wait(waitMs)
    left = undefined
  }

  return {
    send: counted,
    left: known,
    /** The end of the window in the last response. */
    windowEnd: () => end,
    /** @throws CheckSkipped when the wait would exceed `maxWaitMs` */
    waitForNextWindow,
    /** Waits for the next window if necessary. @throws CheckSkipped when the wait would exceed `maxWaitMs` */
    async ensure(requests: number): Promise<void> {
      if (limit !== undefined && requests > limit)
        throw new expect.CheckSkipped(`requires ${requests} requests, more than a window allows`)
      // The request that reads the number may itself use the last remaining request.
      if ((await known()) >= requests) return
      await waitForNextWindow()
      if ((await known()) < requests)
        throw new expect.CheckSkipped('other programs use the rate limit of this client address')
    },
  }
}
