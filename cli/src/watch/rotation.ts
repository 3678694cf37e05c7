import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '@fish-crab/sdk'
import { isGameStart, type PlayerLocation } from './gamemode.ts'
import {
  type Batch,
  firstLineOf,
  headHashOf,
  isGzipped,
  type LogFile,
  logNotFound,
  matchesUpTo,
  openGzippedLog,
  openLog,
  readBatch,
  tailHash,
} from './log-file.ts'
import { type ChatReader, LINE_SLACK_MS, type LogPosition, type WatchedCatch } from './parser.ts'

export interface LogOptions {
  readonly path: string
  /** The log is complete: stop at its end, and the first line needs no line feed. */
  readonly once: boolean
  readonly signal: AbortSignal
  /** Shows how old a log is. Waiting for changes uses the system's timers. */
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly chat: ChatReader
  /** Receives each batch. The next one is read when it settles. */
  readonly onBatch: (batch: Batch) => Promise<void>
  /** Location of the player at the end of the previous log, for an unknown log. */
  readonly before?: PlayerLocation | undefined
  /** Receives the catches that precede the start at the end of an unknown log, batch by batch. */
  readonly onSkip?: ((catches: readonly WatchedCatch[]) => void) | undefined
}

interface StartOptions extends LogOptions {
  readonly known: LogPosition | undefined
  /** Whether an unknown log is read from its beginning. */
  readonly begun: boolean
  /** Start at the beginning, even when a position is known. */
  readonly fromStart: boolean
}

// A writer completes a line within this time.
export const UNFINISHED_MS = 2000

/** Reads a log from its beginning to its end. @returns the location of the player at its end */
export async function readWholeLog({
  path,
  before = {},
  signal,
  clock,
  chat,
  onBatch,
}: Omit<LogOptions, 'once'>): Promise<PlayerLocation> {
  const file = await (isGzipped(path) ? openGzippedLog(path) : openLog(path))
  if (!file) throw logNotFound(path)
  try {
    const { writtenAt } = await file.facts()
    const isWhole = clock.now() - writtenAt > UNFINISHED_MS
    const start = await positionAtStart(file, { path, isWhole })
    if (!start) return before
    let place: LogPosition = { ...start, ...(await inheritLocation(before, file)) }
    for (;;) {
      signal.throwIfAborted()
      const batch = await readBatch(file, place, { isSettled: true, isWhole, chat })
      if (!batch) return place
      place = batch.place
      await onBatch(batch)
    }
  } finally {
    await file.close()
  }
}

/** Reads the rest of rotated logs first. `undefined` while the log is empty. */
export async function startPosition(file: LogFile, begin: StartOptions): Promise<LogPosition | undefined> {
  const { path, known, begun, fromStart, once, before = {} } = begin
  const start = await positionAtStart(file, { path, isWhole: once })
  if (!start) return undefined
  if (!known) {
    const first = { ...start, ...(await inheritLocation(before, file)) }
    return begun ? first : skipExisting(file, first, begin)
  }
  if (known.head === start.head && (await matchesUpTo(file, known))) {
    return fromStart ? { ...start, ...(await inheritLocation(before, file)), generation: known.generation } : known
  }
  const last = await readRotated(known, begin)
  return { ...start, ...(await inheritLocation(last, file)), generation: last.generation + 1 }
}

/** @returns the last position in the rotated logs */
async function readRotated(
  known: LogPosition,
  { path, signal, clock, chat, onBatch }: StartOptions,
): Promise<LogPosition> {
  let last = known
  for (const old of await findUnreadLogs(path, known, { signal, clock })) {
    const before = last
    last = old.place
    await withRotatedLog(old.path, { signal, clock }, async (file) => {
      if (old.place !== known) last = { ...old.place, ...(await inheritLocation(before, file)) }
      for (;;) {
        signal.throwIfAborted()
        const batch = await readBatch(file, last, { isSettled: true, isWhole: true, chat })
        if (!batch) return
        last = batch.place
        await onBatch(batch)
      }
    })
  }
  return last
}

/** Keeps the location of the player. */
async function skipExisting(
  file: LogFile,
  start: LogPosition,
  { signal, chat, onSkip }: StartOptions,
): Promise<LogPosition> {
  let place = start
  for (;;) {
    signal.throwIfAborted()
    const batch = await readBatch(file, place, { isSettled: true, isWhole: false, chat })
    if (!batch) break
    onSkip?.(batch.catches)
    place = batch.place
  }
  return { ...place, anchor: await tailHash(file, place.offset) }
}

const MAX_FILES = 100
const SLACK_MS = 24 * 60 * 60 * 1000
const COMPRESSING_MS = 10_000
const COMPRESSING_RETRY_MS = 200

type RotatedReadOptions = Pick<LogOptions, 'signal' | 'clock'>

interface RotatedLog {
  readonly path: string
  readonly place: LogPosition
}

/** The log of the position and all later ones, oldest first. Empty when that one is gone. */
async function findUnreadLogs(
  path: string,
  place: LogPosition,
  reading: RotatedReadOptions,
): Promise<readonly RotatedLog[]> {
  const candidates = await listRotatedLogs(path, place.at - SLACK_MS)
  for (const [index, candidate] of candidates.entries()) {
    const isIt = await withRotatedLog(candidate, reading, async (file) => {
      return (await headHashOf(file, true)) === place.head && (await matchesUpTo(file, place))
    })
    if (!isIt) continue
    const unread: RotatedLog[] = [{ path: candidate, place }]
    for (const later of candidates.slice(index + 1)) {
      const begun = await withRotatedLog(later, reading, (file) =>
        positionAtStart(file, { path: later, isWhole: true }),
      )
      const generation: number = (unread.at(-1)?.place.generation ?? place.generation) + 1
      if (begun) unread.push({ path: later, place: { ...begun, generation } })
    }
    return unread
  }
  return []
}

/** `undefined` while the log has no first line. */
async function positionAtStart(
  file: LogFile,
  { path, isWhole }: { readonly path: string; readonly isWhole: boolean },
): Promise<LogPosition | undefined> {
  const head = await headHashOf(file, isWhole)
  if (head === undefined) return undefined
  const { bornAt, writtenAt } = await file.facts()
  // A compressed or copied file is newer than its content.
  const at = Math.min(bornAt, writtenAt, dateInName(path) ?? Number.POSITIVE_INFINITY)
  return { head, generation: 0, offset: 0, anchor: EMPTY, at }
}

/** The next log continues the location, unless a new game starts there. */
async function inheritLocation({ gamemode, elsewhere }: PlayerLocation, file: LogFile): Promise<PlayerLocation> {
  return isGameStart(await firstLineOf(file)) ? {} : { gamemode, elsewhere }
}

/** Of a log that the game has rotated, in milliseconds since 1970. */
export function dateInName(path: string): number | undefined {
  const [, year, month, day] = ROTATED_NAME.exec(basename(path)) ?? []
  return year === undefined
    ? undefined
    : new Date(Number(year), Number(month) - 1, Number(day)).getTime() + LINE_SLACK_MS
}

const ROTATED_NAME = /^(\d{4})-(\d\d)-(\d\d)-\d+\.log(?:\.gz)?$/

// Hash of zero bytes: the anchor of the first byte.
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb924'

/** `undefined` when it cannot be read. */
async function withRotatedLog<Result>(
  path: string,
  reading: RotatedReadOptions,
  work: (file: LogFile) => Promise<Result>,
): Promise<Result | undefined> {
  const file = await openRotatedLog(path, reading)
  if (!file) return undefined
  try {
    return await work(file)
  } finally {
    await file.close()
  }
}

async function openRotatedLog(path: string, { signal, clock }: RotatedReadOptions): Promise<LogFile | undefined> {
  if (!isGzipped(path)) return openLog(path).catch(() => undefined)
  for (;;) {
    signal.throwIfAborted()
    try {
      return await openGzippedLog(path)
    } catch {
      // The game may be compressing it right now.
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }))
      if (clock.now() - mtimeMs > COMPRESSING_MS) return undefined
      await clock.sleep(COMPRESSING_RETRY_MS, signal)
    }
  }
}

async function listRotatedLogs(path: string, since: number): Promise<readonly string[]> {
  const folder = dirname(path)
  const isOld = rotatedNameMatcher(basename(path))
  const names = await readdir(folder).catch(() => [])
  const candidates = names.filter(isOld).map(async (name) => {
    const facts = await stat(join(folder, name)).catch(() => undefined)
    return facts?.isFile() && facts.mtimeMs >= since ? [{ name, writtenAt: facts.mtimeMs }] : []
  })
  return (await Promise.all(candidates))
    .flat()
    .sort((a, b) => a.writtenAt - b.writtenAt || a.name.localeCompare(b.name, 'en', { numeric: true }))
    .slice(-MAX_FILES)
    .map(({ name }) => join(folder, name))
}

/** `2026-01-31-1.log.gz` for `latest.log`, else the name with a suffix. Others, such as `debug.log`, repeat catches. */
function rotatedNameMatcher(name: string): (other: string) => boolean {
  const stem = name.replace(/\.[^.]+$/, '')
  return (other) => {
    if (other === name || !/^[^.].*\.(?:log|txt|gz|\d{1,3}|old|bak)$/i.test(other)) return false
    if (stem === 'latest' && ROTATED_NAME.test(other)) return true
    return other.startsWith(`${stem}.`) || other.startsWith(`${stem}-`)
  }
}
