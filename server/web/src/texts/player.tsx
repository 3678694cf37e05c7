import type { ComponentChildren } from 'preact'
import type { StreamState } from '../data/follow.ts'
import { formatNumber, plural } from '../parts/format.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The texts of the page of a player. */
export const playerTexts = {
  overview: 'Collection',
  demo: 'These catches are made up, to show what a collection looks like.',
  rarest: 'Rarest catches',
  title: (user: string) => `The collection of ${user}`,
  overlay: 'Overlay',
  own: 'This is me',
  month: (user: string, month: ComponentChildren) => (
    <>
      {user}’s {month}
    </>
  ),
  longestStreak: 'days, longest streak',
  inAll: (count: number) => `${plural(count, 'species', 'species')} in all`,
  ofKnown: (caught: ComponentChildren, known: number) => (
    <>
      {caught} of {formatNumber(known)} species
    </>
  ),
  since: (time: ComponentChildren) => <>Since {time}</>,
  lastCatch: (time: ComponentChildren) => <>last catch {time}</>,
  latest: 'Latest catches',
  nothing: (user: string) => `${user} has caught nothing yet.`,
  nothingIn: (user: string, gamemode: string) => `${user} has caught nothing in ${gamemode} yet.`,
  soon: 'Catches appear here as they are stored.',
  start: 'How do I start?',
  unlisted: 'This collection has too many species to show all of them.',
  noCharts: 'The charts could not be loaded. Reload the page to try again.',
  loading: 'Loading the collection',
  live: 'Live',
  /** @example updated(40_000) // 'Updated 40 s ago' */
  updated(age: number) {
    if (age < MINUTE) return `Updated ${Math.floor(age / SECOND)} s ago`
    if (age < HOUR) return `Updated ${Math.floor(age / MINUTE)} min ago`
    return `Updated ${age < DAY ? `${Math.floor(age / HOUR)} h` : plural(Math.floor(age / DAY), 'day')} ago`
  },
  updatedAt: (time: ComponentChildren) => <>Updated at {time}</>,
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
