import { HEADERS, ROUTES } from '@fish-crab/sdk/contract'
import type { Answer } from './answer.ts'
import { expectJson, expectMoment } from './expect-answer.ts'
import { CheckSkipped, expectThat } from './expectation.ts'
import type { Send } from './transport.ts'

/** The client without a key, whose requests the service counts. What is left of its window is never spent blindly. */
export interface Anonymous {
  /** Sends a counted request. */
  readonly send: Send
  /**
   * Sees to it that so many requests are left, by waiting for the next window if need be.
   * @throws CheckSkipped when they are not, and waiting would take longer than is allowed
   */
  ensure(requests: number): Promise<void>
  /** How many requests are left, after asking the service if need be. */
  left(): Promise<number>
  /** Waits until the window is over. @throws CheckSkipped as {@link ensure} */
  waitForNextWindow(): Promise<void>
}

/** What {@link createAnonymous} builds on. */
export interface AnonymousContext {
  readonly send: Send
  /** Requests a window allows, when that was said. */
  readonly limit: number | undefined
  readonly maxWaitMs: number
  readonly wait: (milliseconds: number) => Promise<void>
}

/** Timers may be a little early. */
const MARGIN_MS = 50

/** Reads a header that holds a whole number. */
export function numberHeader(answer: Answer, name: string): number {
  const text = answer.headers.get(name)
  expectThat(text !== null && /^\d+$/.test(text), `a whole number in ${name}`, text ?? 'no such header', answer)
  return Number(text)
}

/** Makes the anonymous client. */
export function createAnonymous({ send, limit, maxWaitMs, wait }: AnonymousContext): Anonymous {
  let left: number | undefined

  const counted: Send = async (path, init) => {
    const answer = await send(path, init)
    const remaining = answer.headers.get(HEADERS.rateRemaining)
    if (remaining !== null) left = Number(remaining)
    return answer
  }

  async function known(): Promise<number> {
    if (left === undefined) await counted(ROUTES.status.path)
    expectThat(left !== undefined && left >= 0, `${HEADERS.rateRemaining} on a counted answer`, 'no such header')
    return left
  }

  /** By the service's own clock, which may not be this one's. */
  async function untilReset(): Promise<number> {
    const answer = await counted(ROUTES.status.path)
    if (answer.status === 429) return numberHeader(answer, HEADERS.retryAfter) * 1000
    const now = expectMoment(expectJson(answer).timestamp, '"timestamp"', answer)
    return Math.max(0, numberHeader(answer, HEADERS.rateReset) * 1000 - now)
  }

  async function waitForNextWindow(): Promise<void> {
    const waitMs = (await untilReset()) + MARGIN_MS
    if (waitMs > maxWaitMs) {
      const seconds = Math.ceil(waitMs / 1000)
      throw new CheckSkipped(
        `too few requests are left in this client's window, which ends in ${seconds} s: longer than maxWaitMs allows`,
      )
    }
    await wait(waitMs)
    left = undefined
  }

  return {
    send: counted,
    left: known,
    waitForNextWindow,
    async ensure(requests) {
      if (limit !== undefined && requests > limit)
        throw new CheckSkipped(`it takes ${requests} requests, more than a window allows here`)
      // To ask may take the last one.
      if (left === undefined) await known()
      if ((left ?? 0) >= requests) return
      await waitForNextWindow()
      await known()
      if ((left ?? 0) < requests) throw new CheckSkipped('others use the requests of this client address meanwhile')
    },
  }
}
