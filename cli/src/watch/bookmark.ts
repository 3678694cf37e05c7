import { isGamemode } from '@fish-crab/sdk/constants'
import type { WatchedCatch } from './interpret.ts'
import type { Place } from './place.ts'

/** What a bookmark in the outbox holds. */
export interface Bookmarked {
  readonly place: Place
  /** What was read and not queued, since nobody knows in which gamemode it was caught. */
  readonly held: readonly WatchedCatch[]
}

const VERSION = 1

/** The text of a bookmark. */
export function bookmarkText({ place, held }: Bookmarked): string {
  return JSON.stringify({ version: VERSION, ...place, ...(held.length > 0 && { held }) })
}

/** What a bookmark tells of; `undefined` when it is of another version, or none. */
export function readBookmark(text: string | undefined): Bookmarked | undefined {
  if (text === undefined) return undefined
  try {
    const { version, head, generation, offset, anchor, at, last, gamemode, elsewhere, held = [] } = JSON.parse(text)
    const isRight =
      version === VERSION &&
      [head, anchor].every((one) => typeof one === 'string') &&
      Array.isArray(held) &&
      [generation, offset, at].every((one) => Number.isSafeInteger(one) && one >= 0)
    if (!isRight) return undefined
    const where = { gamemode: isGamemode(gamemode) ? gamemode : undefined, elsewhere }
    return { place: { head, generation, offset, anchor, at, last, ...where }, held }
  } catch {
    return undefined
  }
}
