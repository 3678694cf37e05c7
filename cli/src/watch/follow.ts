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
import { type LogOptions, startPosition } from './rotation.ts'

interface FollowOptions extends LogOptions {
  /** Where an earlier run stopped. @default the end of the log, unless `fromStart` */
  readonly place?: LogPosition | undefined
  /** Start at the beginning, even when a position is known. */
  readonly fromStart: boolean
  readonly onNote: (text: string) => void
}

/** Survives truncation, renaming, compression and deletion of the log, between runs too: each batch ends at a position. */
export async function follow(options: FollowOptions): Promise<void> {
  const waker = watchForChanges(options.path)
  const following = new Follower(options, waker)
  try {
    await following.run()
  } finally {
    waker.close()
    await following.close()
  }
}

const POLL_MS = 250
// A writer completes a line within this time.
const UNFINISHED_MS = 2000

class Follower {
  readonly #options: FollowOptions
  readonly #waker: ChangeWatcher
  #file: LogFile | undefined
  /** Where to continue: in the open file, else in the last one. */
  #place: LogPosition | undefined
  /** Whether an unknown log is read from its beginning. */
  #hasStarted: boolean
  #fromStart: boolean
  #sizeBefore = -1
  #wasOpen = false
  #reportedMissing = false

  constructor(options: FollowOptions, waker: ChangeWatcher) {
    this.#options = options
    this.#waker = waker
    this.#place = options.place
    this.#fromStart = options.fromStart
    this.#hasStarted = options.fromStart || options.place !== undefined
  }

  async run(): Promise<void> {
    const { signal, once } = this.#options
    for (;;) {
      signal.throwIfAborted()
      const progressed = this.#file ? await this.#read(this.#file) : await this.#open()
      if (progressed) continue
      if (once) return
      await this.#waker.wait(POLL_MS, signal)
    }
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }

  /** @returns whether there may be something to read */
  async #open(): Promise<boolean> {
    const file = await this.#openLog()
    if (!file) return this.#missing()
    this.#wasOpen = true
    const { onBatch } = this.#options
    const [known, begun, fromStart] = [this.#place, this.#hasStarted, this.#fromStart]
    const from = await startPosition(file, { ...this.#options, known, begun, fromStart }).catch(
      async (error: unknown) => {
        await file.close()
        throw error
      },
    )
    // Everything written to an empty log is new.
    this.#hasStarted = true
    if (!from) {
      await file.close()
      return false
    }
    this.#fromStart = false
    this.#file = file
    this.#sizeBefore = -1
    this.#place = from
    if (from !== known) await onBatch({ catches: [], place: from })
    return true
  }

  /** After the first successful open, an unreadable log may be locked or being moved: wait for it. */
  #openLog(): Promise<LogFile | undefined> {
    const { path } = this.#options
    return (isGzipped(path) ? openGzippedLog(path) : openLog(path)).catch((error: unknown) => {
      const isTransient = this.#wasOpen && !this.#options.once
      if (isTransient && error instanceof CliError && error.code === LOG_NOT_READABLE) return undefined
      throw error
    })
  }

  #missing(): false {
    const { path, once, onNote } = this.#options
    if (once) throw logNotFound(path)
    if (!this.#reportedMissing) onNote(`No log at ${path} yet; waiting for it.`)
    this.#reportedMissing = true
    // A log created from now on is read from its beginning.
    this.#hasStarted = true
    return false
  }

  /** @returns whether there may be more to read */
  async #read(file: LogFile): Promise<boolean> {
    const { path, once, clock, onBatch } = this.#options
    const place = this.#place
    if (!place) return false
    const isReplaced = (await identityAt(path)) !== file.identity
    const { size, writtenAt } = await file.facts()
    if (!(await matchesUpTo(file, place))) {
      // Truncated, perhaps rewritten.
      await this.close()
      return true
    }
    const isSettled = once || isReplaced || size === this.#sizeBefore
    this.#sizeBefore = size
    const isWhole = once && clock.now() - writtenAt > UNFINISHED_MS
    const batch = await readBatch(file, place, { isSettled, isWhole })
    if (batch) {
      this.#place = batch.place
      await onBatch(batch)
      return true
    }
    if (!isReplaced) return false
    await this.close()
    return true
  }
}

type ChangeWatcher = ReturnType<typeof watchForChanges>

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
