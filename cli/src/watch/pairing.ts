import type { ChatCatch } from '@fish-crab/sdk/chat'

/** A catch line that was read, and where it ended. */
export interface CatchLine {
  readonly found: ChatCatch
  readonly start: number
  readonly end: number
}

/** What is remembered of the last catch line, in case that the next one tells of the same catch. */
export interface LastCatch {
  readonly kind: ChatCatch['kind']
  readonly name: string
  readonly firstTime: boolean
  readonly byAugment: boolean
  readonly lengthCm?: number
  readonly timeOfDay?: string
  readonly end: number
}

/** What {@link isSameCatch} goes by later. */
export function lastOf({ found, end }: CatchLine): LastCatch {
  const { kind, name, firstTime = false, byAugment = false, lengthCm, timeOfDay } = found
  return {
    kind,
    name,
    firstTime,
    byAugment,
    ...(lengthCm === undefined ? {} : { lengthCm }),
    ...(timeOfDay === undefined ? {} : { timeOfDay }),
    end,
  }
}

/**
 * Whether a line tells once more of the catch that the last catch line told of. The game writes two lines for the first
 * fish of its sort: `NICE CATCH! …` and `NEW ENTRY! …`. They are one catch when
 *
 * - no line of another catch stands between them, and one of the two says that it is the first of its sort,
 * - both are fish of one name (letter case aside), both or neither by augments, with the same length if both tell it,
 * - and they were written in the same second, or one directly after the other where no times are written.
 *
 * The one remaining doubt, a second such fish within the second of the first, is decided for one catch.
 */
export function isSameCatch(last: LastCatch | undefined, { found, start }: CatchLine): boolean {
  if (last?.kind !== 'fish' || found.kind !== 'fish') return false
  const { firstTime = false, byAugment = false, lengthCm, timeOfDay } = found
  if (!last.firstTime && !firstTime) return false
  if (last.byAugment !== byAugment || last.name.toLowerCase() !== found.name.toLowerCase()) return false
  if (last.lengthCm !== undefined && lengthCm !== undefined && last.lengthCm !== lengthCm) return false
  if (last.timeOfDay !== undefined && timeOfDay !== undefined) {
    return last.timeOfDay === timeOfDay || (start === last.end && secondsBetween(last.timeOfDay, timeOfDay) === 1)
  }
  return start === last.end
}

/** One catch of two lines: each may tell what the other does not. */
export function mergeCatches(one: ChatCatch, other: ChatCatch): ChatCatch {
  if (one.kind !== 'fish' || other.kind !== 'fish') return one
  // Told by neither catch word nor label.
  const rarity = one.rarity === UNKNOWN_RARITY ? other.rarity : one.rarity
  return { ...other, ...one, rarity, firstTime: true }
}

const UNKNOWN_RARITY = 5

/** Whole seconds from one time of day to a later one; `undefined` where seconds are not written. */
function secondsBetween(from: string, to: string): number | undefined {
  const [a, b] = [secondOfDay(from), secondOfDay(to)]
  if (a === undefined || b === undefined) return undefined
  return (b - a + DAY_SECONDS) % DAY_SECONDS
}

const DAY_SECONDS = 86_400

function secondOfDay(time: string): number | undefined {
  const [, hours, minutes, seconds] = /^(\d\d?):(\d\d):(\d\d)$/.exec(time) ?? []
  return seconds === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}
