import { interpret, type WatchedCatch } from './interpret.ts'
import { splitLines } from './lines.ts'
import { type LogFile, readFrom } from './log-file.ts'
import type { Place } from './place.ts'

/** What was read in one go, and where reading goes on. */
export interface Batch {
  readonly catches: readonly WatchedCatch[]
  readonly place: Place
}

const CHUNK = 256 * 1024

/** How to take what stands at the end of a file. */
export interface ReadOptions {
  /** Nothing followed for a while: a catch in the last line is not held back for the line that may follow. */
  readonly isSettled: boolean
  /** Nothing will follow: a last line without an end is a line. */
  readonly isWhole: boolean
}

/** Reads on from a place, up to 256 KiB; `undefined` when there is nothing to take. */
export async function readOn(file: LogFile, place: Place, options: ReadOptions): Promise<Batch | undefined> {
  const { size, writtenAt } = await file.facts()
  if (size <= place.offset) return undefined
  const { isSame, bytes, anchorAt } = await readFrom(file, place, CHUNK)
  // Cut off since the last look.
  if (!isSame) return undefined
  const isLast = place.offset + bytes.length >= size
  // A chat line is far below a chunk: one that fills it is taken as it is, to go on.
  const isOneLine = bytes.length === CHUNK && !bytes.includes(0x0a)
  const lines = splitLines(bytes, place.offset, isOneLine || (isLast && options.isWhole))
  if (lines.length === 0) return undefined
  const isSettled = isOneLine || (isLast && (options.isSettled || options.isWhole))
  const { catches, context, end } = interpret(lines, place, { isSettled, now: writtenAt })
  if (end === place.offset) return undefined
  return { catches, place: { ...place, ...context, offset: end, anchor: anchorAt(end) } }
}
