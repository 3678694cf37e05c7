import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from '../core/errors.ts'
import {
  identityAt,
  isGzipped,
  LOG_NOT_READABLE,
  type LogFile,
  logNotFound,
  matchesUpTo,
  openGzippedLog,
  openLog,
  readBatch,
} from './log-file.ts'
import type { LogPosition } from './parser.ts'
import { type LogOptions, startPosition, UNFINISHED_MS } from './rotation.ts'

interface FollowOptions extends LogOptions {
  /** Where an earlier run stopped. @default the end of the log, unless `fromStart` */
  readonly place?: LogPosition | undefined
  /** Start at the beginning, even when a position is known. */
  readonly fromStart: boolean
  readonly onNote: (text: string) => void
}

const POLL_MS = 250

/** Survives truncation, renaming, compression and deletion of the log, between runs too: each batch ends at a position. */
export async function follow(options: FollowOptions): Promise<void> {
  const { path, once, signal, clock, chat, onBatch, onNote } = options
  const waker = watchForChanges(path)
  let file: LogFile | undefined
  /** Where to continue: in the open file, else in the last one. */
  let { place, fromStart } = options
  /** Whether an unknown log is read from its beginning. */
  let begun = fromStart || place !== undefined
  let sizeBefore = -1
  let wasOpen = false
  let reportedMissing = false

  const close = async () => {
    await file?.close()
    file = undefined
  }

  /** @returns whether there may be something to read */
  const open = async () => {
    file = await (isGzipped(path) ? openGzippedLog(path) : openLog(path)).catch((error: unknown) => {
      // After the first successful open, an unreadable log may be locked or being moved: wait for it.
      const isTransient = wasOpen && !once
      if (isTransient && error instanceof CliError && error.code === LOG_NOT_READABLE) return undefined
      throw error
    })
    if (!file) {
      if (once) throw logNotFound(path)
      if (!reportedMissing) onNote(`No log at ${path} yet; waiting for it.`)
      reportedMissing = true
      // A log created from now on is read from its beginning.
      begun = true
      return false
    }
    wasOpen = true
    const known = place
    const from = await startPosition(file, { ...options, known, begun, fromStart })
    // Everything written to an empty log is new.
    begun = true
    if (!from) {
      await close()
      return false
    }
    fromStart = false
    sizeBefore = -1
    place = from
    if (from !== known) await onBatch({ catches: [], unrecognized: [], place: from })
    return true
  }

  /** @returns whether there may be more to read */
  const read = async (log: LogFile, from: LogPosition) => {
    const isReplaced = (await identityAt(path)) !== log.identity
    const { size, writtenAt } = await log.facts()
    if (!(await matchesUpTo(log, from))) {
      // Truncated, perhaps rewritten.
      await close()
      return true
    }
    const isSettled = once || isReplaced || size === sizeBefore
    sizeBefore = size
    const isWhole = once && clock.now() - writtenAt > UNFINISHED_MS
    const batch = await readBatch(log, from, { isSettled, isWhole, chat })
    if (batch) {
      place = batch.place
      await onBatch(batch)
      return true
    }
    if (isReplaced) await close()
    return isReplaced
  }

  const step = () => (file && place ? read(file, place) : open())
  try {
    for (;;) {
      signal.throwIfAborted()
      if (await step()) continue
      if (once) return
      await waker.wait(POLL_MS, signal)
    }
  } finally {
    waker.close()
    await close()
  }
}

/** On network drives, which report no changes, and without a folder, only the timeout applies. */
function watchForChanges(path: string) {
  let changed = false
  let wake: (() => void) | undefined
  const changes = watchFolder(dirname(path), () => {
    changed = true
    wake?.()
  })
  return {
    /** Resolves early when something in the folder changed since the last call. @throws the signal's reason */
    async wait(ms: number, signal: AbortSignal): Promise<void> {
      const woken = new AbortController()
      wake = () => woken.abort()
      const either = AbortSignal.any([signal, woken.signal])
      if (!changed) await sleep(ms, undefined, { signal: either }).catch(() => {})
      wake = undefined
      changed = false
      signal.throwIfAborted()
    },
    close: () => changes?.close(),
  }
}

function watchFolder(folder: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onChange)
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}
