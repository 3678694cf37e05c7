import { createHash } from 'node:crypto'
import { type ChatCatch, parseChatLine } from '@fish-crab/sdk/chat'
import type { LogLine } from './lines.ts'
import { momentOf } from './moment.ts'
import { isSameCatch, lastOf, mergeCatches } from './pairing.ts'
import type { Place } from './place.ts'
import { readWhereabouts, type Whereabouts } from './whereabouts.ts'

/** A catch that a log told of. */
export interface WatchedCatch {
  readonly found: ChatCatch
  /** Milliseconds since 1970. */
  readonly caughtAt: number
  /** Where the player was, as the log said before it. */
  readonly where: Whereabouts
  /** Names this very catch: the file by its first line, the byte at which the catch stands, and the line. */
  readonly key: string
}

/** What is known from before the lines. */
export type Context = Pick<Place, 'head' | 'generation' | 'at' | 'last' | 'gamemode' | 'elsewhere'>

/** What lines told. */
export interface Interpretation {
  readonly catches: readonly WatchedCatch[]
  readonly context: Context
  /** Up to where they were taken; less than all when the last of them is to be read again with what follows. */
  readonly end: number
}

/**
 * What the lines of a log tell.
 *
 * @param isSettled Whether nothing followed for a while. Else a catch in the very last line is left for later: the next
 * line may say more of it.
 * @param now When the log was last written to, milliseconds since 1970.
 */
export function interpret(
  lines: readonly LogLine[],
  before: Context,
  { isSettled, now }: { readonly isSettled: boolean; readonly now: number },
): Interpretation {
  const catches: WatchedCatch[] = []
  let context = before
  let open = false
  for (const [index, { text, start, end }] of lines.entries()) {
    const where = readWhereabouts(text)
    if (where) context = { ...context, gamemode: where.gamemode, elsewhere: where.elsewhere }
    const found = parseChatLine(text)
    if (!found) continue
    const line = { found, start, end }
    if (isSameCatch(context.last, line)) {
      const first = open ? catches.pop() : undefined
      if (first) catches.push({ ...first, found: mergeCatches(first.found, found) })
      context = { ...context, last: undefined }
      open = false
      continue
    }
    if (!isSettled && index === lines.length - 1) return { catches, context, end: start }
    const caughtAt = momentOf(found.timeOfDay, context.at, now)
    context = { ...context, at: caughtAt, last: lastOf(line) }
    const { gamemode, elsewhere } = context
    const key = keyOf(context, found, { text, start })
    catches.push({ found, caughtAt, where: { gamemode, elsewhere }, key })
    open = true
  }
  return { catches, context, end: lines.at(-1)?.end ?? 0 }
}

/**
 * Two games that were started in the same second of two days have the same first line, so the line itself counts too.
 * Lines without times are told apart only by how often the file was begun anew.
 */
function keyOf(
  { head, generation }: Context,
  { timeOfDay }: ChatCatch,
  { text, start }: Pick<LogLine, 'text' | 'start'>,
): string {
  const file = timeOfDay === undefined ? `${head}.${generation}` : head
  return `${file}:${start}:${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}
