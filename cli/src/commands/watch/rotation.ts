import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Clock } from '@fish-crab/sdk'
import { listLogs } from './folder.ts'
import type { LogEncoding } from './log-encoding.ts'
import { isGzipped, type LogFile, openLog } from './log-file.ts'
import { dateInName, isContinued, isRotatedName, type ReadOptions, readToEnd, startOf } from './log-reader.ts'
import type { LogPosition } from './parser.ts'

export interface RotationOptions extends Omit<ReadOptions, 'isWhole'> {
  readonly path: string
  /** The encoding of logs that are neither UTF-8 nor UTF-16. */
  readonly encoding: LogEncoding
  /** The clock determines the age of a log. Waiting for changes uses the system's timers. */
  readonly clock: Pick<Clock, 'now' | 'sleep'>
}

const SLACK_MS = 24 * 60 * 60 * 1000
const MAX_FILES = 100

/**
 * Reads the rest of a renamed log after a position, and all later logs.
 *
 * @returns the last position, or the given position if its log is not found
 */
export async function readRotated(known: LogPosition, options: RotationOptions): Promise<LogPosition> {
  const { path } = options
  const logs = await listLogs(dirname(path), rotatedNameMatcher(basename(path)))
  const recent = logs.filter(({ writtenAt }) => writtenAt >= known.at - SLACK_MS).slice(-MAX_FILES)
  let last = known
  let isFound = false
  for (const [index, log] of recent.entries()) {
    const file = await openRotatedLog(log.path, options)
    if (!file) continue
    try {
      if (isFound) last = (await startOf(file, { path: log.path, isWhole: !file.isCut, before: last })) ?? last
      else if (await isContinued(file, known)) isFound = true
      else continue
      last = await readToEnd(file, last, {
        ...options,
        isWhole: !file.isCut,
        nextLogAt: dateInName(recent[index + 1]?.path),
      })
    } finally {
      await file.close()
    }
  }
  return last
}

const COMPRESSING_MS = 10_000
const COMPRESSING_RETRY_MS = 200

async function openRotatedLog(
  path: string,
  { signal, clock, encoding }: RotationOptions,
): Promise<LogFile | undefined> {
  for (;;) {
    signal.throwIfAborted()
    const file = await openLog(path, encoding).catch(() => 'unreadable' as const)
    if (file !== 'unreadable' && !file?.isCut) return file
    // The game may be compressing the log right now.
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }))
    if (!isGzipped(path) || clock.now() - mtimeMs > COMPRESSING_MS) return file === 'unreadable' ? undefined : file
    await clock.sleep(COMPRESSING_RETRY_MS, signal)
  }
}

/**
 * Matches rotated logs: `2026-01-31-1.log.gz` for `latest.log`, and the name with a suffix for any log. Other logs,
 * such as `debug.log`, would repeat catches.
 */
function rotatedNameMatcher(name: string): (other: string) => boolean {
  const stem = name.replace(/\.[^.]+$/, '')
  return (other) => {
    if (other === name || !/^[^.].*\.(?:log|txt|gz|\d{1,3}|old|bak)$/i.test(other)) return false
    if (stem === 'latest' && isRotatedName(other)) return true
    return other.startsWith(`${stem}.`) || other.startsWith(`${stem}-`)
  }
}
