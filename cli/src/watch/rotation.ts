import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '@fish-crab/sdk'
import { beginsGame, type Whereabouts } from './gamemode.ts'
import {
  anchorOf,
  type Batch,
  firstLineOf,
  headOf,
  isPacked,
  isReadTo,
  type LogFile,
  openLog,
  openPackedLog,
  readOn,
} from './log-file.ts'
import { LINE_SLACK_MS, type Place } from './parser.ts'

/** What says where to begin in a log that was opened. */
interface Begin {
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

const MOST_FILES = 100
const SLACK_MS = 24 * 60 * 60 * 1000
const PACKING_MS = 10_000
const PACKING_RETRY_MS = 200

/** How old logs are read. */
interface OldReading {
  readonly signal: AbortSignal
  readonly clock: Pick<Clock, 'now' | 'sleep'>
}

/** An old log that holds what was not read yet. */
interface OldLog {
  readonly path: string
  /** Where to begin. */
  readonly place: Place
}

/**
 * The old logs beside a log that were not read to their ends: the one that a place is in, and all that were begun after
 * it, oldest first. Empty when that one is gone.
 */
async function unreadLogs(path: string, place: Place, reading: OldReading): Promise<readonly OldLog[]> {
  const candidates = await oldLogs(path, place.at - SLACK_MS)
  for (const [index, candidate] of candidates.entries()) {
    const isIt = await withOldLog(candidate, reading, async (file) => {
      return (await headOf(file, true)) === place.head && (await isReadTo(file, place))
    })
    if (!isIt) continue
    const unread: OldLog[] = [{ path: candidate, place }]
    for (const later of candidates.slice(index + 1)) {
      const begun = await withOldLog(later, reading, (file) => beginning(file, { path: later, isWhole: true }))
      const generation: number = (unread.at(-1)?.place.generation ?? place.generation) + 1
      if (begun) unread.push({ path: later, place: { ...begun, generation } })
    }
    return unread
  }
  return []
}

/** The place at the beginning of a log; `undefined` while it has no first line. */
async function beginning(
  file: LogFile,
  { path, isWhole }: { readonly path: string; readonly isWhole: boolean },
): Promise<Place | undefined> {
  const head = await headOf(file, isWhole)
  if (head === undefined) return undefined
  const { bornAt, writtenAt } = await file.facts()
  // What was packed or copied is younger than what it tells of.
  const at = Math.min(bornAt, writtenAt, dayInName(path) ?? Number.POSITIVE_INFINITY)
  return { head, generation: 0, offset: 0, anchor: EMPTY, at }
}

/** The whereabouts at the beginning of a log that follows another: unless a new game begins there, the same. */
async function carriedOver({ gamemode, elsewhere }: Whereabouts, file: LogFile): Promise<Whereabouts> {
  return beginsGame(await firstLineOf(file)) ? {} : { gamemode, elsewhere }
}

/** The day of an old log that the game named, milliseconds since 1970, with the slack of its lines. */
function dayInName(path: string): number | undefined {
  const [, year, month, day] = OLD_LOG.exec(basename(path)) ?? []
  return year === undefined
    ? undefined
    : new Date(Number(year), Number(month) - 1, Number(day)).getTime() + LINE_SLACK_MS
}

const OLD_LOG = /^(\d{4})-(\d\d)-(\d\d)-\d+\.log(?:\.gz)?$/

// The hash of nothing, as the anchor of the first byte.
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb924'

/** Does something with an old log, packed or not; `undefined` when it cannot be read. */
async function withOldLog<Result>(
  path: string,
  reading: OldReading,
  work: (file: LogFile) => Promise<Result>,
): Promise<Result | undefined> {
  const file = await openOldLog(path, reading)
  if (!file) return undefined
  try {
    return await work(file)
  } finally {
    await file.close()
  }
}

async function openOldLog(path: string, { signal, clock }: OldReading): Promise<LogFile | undefined> {
  if (!isPacked(path)) return openLog(path).catch(() => undefined)
  for (;;) {
    signal.throwIfAborted()
    try {
      return await openPackedLog(path)
    } catch {
      // The game may be packing it at this moment.
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }))
      if (clock.now() - mtimeMs > PACKING_MS) return undefined
      await clock.sleep(PACKING_RETRY_MS, signal)
    }
  }
}

/** Paths of old logs that were written to since then, oldest first. */
async function oldLogs(path: string, since: number): Promise<readonly string[]> {
  const folder = dirname(path)
  const isOld = oldLogName(basename(path))
  const names = await readdir(folder).catch(() => [])
  const looked = names.filter(isOld).map(async (name) => {
    const facts = await stat(join(folder, name)).catch(() => undefined)
    return facts?.isFile() && facts.mtimeMs >= since ? [{ name, writtenAt: facts.mtimeMs }] : []
  })
  return (await Promise.all(looked))
    .flat()
    .sort((a, b) => a.writtenAt - b.writtenAt || a.name.localeCompare(b.name, 'en', { numeric: true }))
    .slice(-MOST_FILES)
    .map(({ name }) => join(folder, name))
}

/**
 * Which names old logs of a log have: `2026-01-31-1.log.gz` beside `latest.log`, as the game names them, else the name
 * of the log with something behind it. Others in the folder, such as `debug.log`, tell the same catches once more.
 */
function oldLogName(name: string): (other: string) => boolean {
  const stem = name.replace(/\.[^.]+$/, '')
  return (other) => {
    if (other === name || !/^[^.].*\.(?:log|txt|gz|\d{1,3}|old|bak)$/i.test(other)) return false
    if (stem === 'latest' && OLD_LOG.test(other)) return true
    return other.startsWith(`${stem}.`) || other.startsWith(`${stem}-`)
  }
}
