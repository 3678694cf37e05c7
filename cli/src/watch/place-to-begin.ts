import type { Clock } from '@fish-crab/sdk'
import { anchorOf, isReadTo, type LogFile } from './log-file.ts'
import type { Place } from './place.ts'
import { type Batch, readOn } from './read-on.ts'
import { beginning, carriedOver, unreadLogs, withOldLog } from './rotated.ts'
import type { Whereabouts } from './whereabouts.ts'

/** What says where to begin in a log that was opened. */
export interface Begin {
  readonly path: string
  /** Nothing will follow: a first line without an end is a line. */
  readonly once: boolean
  readonly signal: AbortSignal
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  /** Takes what is left in older logs. */
  readonly onBatch: (batch: Batch) => Promise<void>
  /** Where the player was at the end of the log that came before, for a log that is not known. */
  readonly before?: Whereabouts | undefined
  /** Where reading ended before, in this log or one that stood here. */
  readonly known: Place | undefined
  /** Whether what is written in a log that is not known is ours, from its beginning on. */
  readonly begun: boolean
  /** Begin at the beginning also where a place is known. */
  readonly fromStart: boolean
}

/**
 * Where to begin in a log: where reading ended, after all that is left in the logs that stood here since; else at its
 * beginning, or behind what was written before anyone watched.
 *
 * @returns `undefined` while the log is empty
 */
export async function placeToBegin(file: LogFile, begin: Begin): Promise<Place | undefined> {
  const { path, known, begun, fromStart, once, before = {} } = begin
  const start = await beginning(file, { path, isWhole: once })
  if (!start) return undefined
  if (!known) {
    const first = { ...start, ...(await carriedOver(before, file)) }
    return begun ? first : passOver(file, first, begin)
  }
  if (known.head === start.head && (await isReadTo(file, known))) {
    return fromStart ? { ...start, ...(await carriedOver(before, file)), generation: known.generation } : known
  }
  const last = await readOld(known, begin)
  return { ...start, ...(await carriedOver(last, file)), generation: last.generation + 1 }
}

/** Reads what is left in files that stood here before. @returns the last place in them */
async function readOld(known: Place, { path, signal, clock, onBatch }: Begin): Promise<Place> {
  let last = known
  for (const old of await unreadLogs(path, known, { signal, clock })) {
    const before = last
    last = old.place
    await withOldLog(old.path, { signal, clock }, async (file) => {
      if (old.place !== known) last = { ...old.place, ...(await carriedOver(before, file)) }
      for (;;) {
        signal.throwIfAborted()
        const batch = await readOn(file, last, { isSettled: true, isWhole: true })
        if (!batch) return
        last = batch.place
        await onBatch(batch)
      }
    })
  }
  return last
}

/** What was written before anyone watched is none of ours, but it may say where the player is. */
async function passOver(file: LogFile, start: Place, { signal }: Begin): Promise<Place> {
  let place = start
  for (;;) {
    signal.throwIfAborted()
    const batch = await readOn(file, place, { isSettled: true, isWhole: false })
    if (!batch) break
    place = batch.place
  }
  return { ...place, anchor: await anchorOf(file, place.offset) }
}
