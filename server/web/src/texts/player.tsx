import type { StreamState } from '../data/follow.ts'
import { plural } from '../parts/format.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export const playerTexts = {
  live: 'Live',
  /** @example updated(40_000) // 'Updated 40 s ago' */
  updated(age: number) {
    if (age < MINUTE) return `Updated ${Math.floor(age / SECOND)} s ago`
    if (age < HOUR) return `Updated ${Math.floor(age / MINUTE)} min ago`
    return `Updated ${age < DAY ? `${Math.floor(age / HOUR)} h` : plural(Math.floor(age / DAY), 'day')} ago`
  },
  updatedAt: (time: string) => `Updated at ${time}`,
  /** Why a collection is not live. */
  notLive: {
    connecting: 'connecting soon',
    reconnecting: 'reconnecting',
    offline: 'offline',
    limited: 'too many requests',
    pages: 'too many open pages',
    streams: 'too many streams',
  } as const satisfies Record<Exclude<StreamState, 'open'>, string>,
  polls: 'checked every minute',
} as const
