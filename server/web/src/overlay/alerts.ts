import type { Fresh } from '../data/profile.ts'
import { rankOf } from '../data/summary.ts'
import { type Item, loudness, newItems } from './feed.ts'

/** A queue of alerts, which are shown one after the other. */
export interface AlertQueue {
  readonly current: Item | undefined
  /** When the current alert ends, in Unix milliseconds. */
  readonly endsAt: number
  readonly waiting: readonly Item[]
  /** The key of the next alert. */
  readonly nextKey: number
}

export const NO_ALERTS: AlertQueue = { current: undefined, endsAt: 0, waiting: [], nextKey: 1 }

const MAX_WAITING = 10
const DURATIONS_MS = { usual: 8000, rare: 10_000, rarest: 14_000 } as const

/**
 * Adds an alert for each new catch to the queue. If the queue is full, the alerts of the most common catches are
 * dropped.
 */
export function withAlerts(queue: AlertQueue, fresh: readonly Fresh[], now: number): AlertQueue {
  const added = newItems(rarestFirst(fresh), queue.nextKey)
  const all = [...queue.waiting, ...added]
  // If no alert is shown, the first alert leaves the queue immediately, so there is room for one more.
  const room = MAX_WAITING + (isCurrent(queue, now) ? 0 : 1)
  const chosen = new Set(rarestFirst(all).slice(0, room))
  const waiting = all.filter((item) => chosen.has(item))
  return alertsAt({ ...queue, waiting, nextKey: queue.nextKey + added.length }, now)
}

/** Returns the queue at a time. If the current alert has ended, the next alert becomes current. */
export function alertsAt(queue: AlertQueue, now: number): AlertQueue {
  if (isCurrent(queue, now)) return queue
  const [current, ...waiting] = queue.waiting
  return { ...queue, current, endsAt: current ? now + DURATIONS_MS[loudness(current)] : 0, waiting }
}

function isCurrent({ current, endsAt }: AlertQueue, now: number): boolean {
  return current !== undefined && now < endsAt
}

function rarestFirst<One extends Pick<Item, 'rarity'>>(items: readonly One[]): readonly One[] {
  return [...items].sort((one, other) => rankOf(other) - rankOf(one))
}
