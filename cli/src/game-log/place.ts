import { type Gamemode, isGamemode } from '@fish-crab/sdk/constants'
import type { LastCatch } from './pairing.ts'

/** How far a log was read: what a bookmark in the outbox holds. */
export interface Place {
  /** Names the content of the file: a hash of its first line. Survives renaming and packing. */
  readonly head: string
  /** How many files have stood at this path before, as far as was seen. */
  readonly generation: number
  /** Bytes that were read; always the beginning of a line. */
  readonly offset: number
  /** A hash of the bytes just before, to know the file again. */
  readonly anchor: string
  /** When the last catch was made, milliseconds since 1970; where there was none, when the file began. */
  readonly at: number
  readonly last?: LastCatch | undefined
  /** What the log said last. */
  readonly gamemode?: Gamemode | undefined
}

const VERSION = 1

/** A place as the text of a bookmark. */
export function placeText(place: Place): string {
  return JSON.stringify({ version: VERSION, ...place })
}

/** The place that a bookmark tells of; `undefined` when it is of another version, or none. */
export function readPlace(text: string | undefined): Place | undefined {
  if (text === undefined) return undefined
  try {
    const { version, head, generation, offset, anchor, at, last, gamemode } = JSON.parse(text)
    const isRight =
      version === VERSION &&
      [head, anchor].every((one) => typeof one === 'string') &&
      [generation, offset, at].every((one) => Number.isSafeInteger(one) && one >= 0)
    if (!isRight) return undefined
    return { head, generation, offset, anchor, at, last, gamemode: isGamemode(gamemode) ? gamemode : undefined }
  } catch {
    return undefined
  }
}
