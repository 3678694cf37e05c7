import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '@fish-crab/sdk'
import { CliError, EXIT } from '../core/errors.ts'
import type { PlayerLocation } from './gamemode.ts'
import {
  type Batch,
  identityAt,
  isGzipped,
  isUnchangedTo,
  LOG_NOT_READABLE,
  type LogFile,
  openGzippedLog,
  openLog,
  readBatch,
} from './log-file.ts'
import type { LogPosition } from './parser.ts'
import { startPosition } from './rotation.ts'

/** What {@link follow} is told. */
interface FollowOptions {
  readonly path: string
  /** Where reading ended before. @default what was written before is passed over, unless `fromStart` */
  readonly place?: LogPosition | undefined
  /** Where the player was at the end of the log that came before, for a log that goes on with it. */
  readonly before?: PlayerLocation | undefined
  /** Begin with what is in the log already, also where a place is known. */
  readonly fromStart: boolean
  /** End when all that is there was read. */
  readonly once: boolean
  readonly signal: AbortSignal
  /** Says how long ago a log was written to. Waiting for a change of it goes by the system. */
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  /** Takes what was read. The next batch is read when it settles. */
  readonly onBatch: (batch: Batch) => Promise<void>
  /** Hears what a person may want to know. */
  readonly onNote: (text: string) => void
  /** Milliseconds between two looks at the file. @default 250 */
  readonly pollMs?: number | undefined
}

/**
 * Reads a log, and what is written to it, until it is told to end: over its being cut off, renamed, packed, deleted and
 * begun anew, also while nobody looked. Every batch has the place up to which it goes; whoever keeps both together can
 * end at any moment, and go on from there.
 *
 * @throws the signal's reason; CliError `log_not_found` with `once`; CliError `log_not_readable` before anything was read;
 *   what `onBatch` throws
 */
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
// Whoever writes a line writes its end within this time.
const UNFINISHED_MS = 2000

class Follower {
  readonly #options: FollowOptions
  readonly #waker: ChangeWatcher
  #file: LogFile | undefined
  /** Where reading goes on: in the file that is open, else in the one that was last. */
  #place: LogPosition | undefined
  /** Whether what is written in a log that is not known is ours, from its beginning on. */
  #begun: boolean
  #fromStart: boolean
  #sizeBefore = -1
  #wasOpen = false
  #toldMissing = false

  constructor(options: FollowOptions, waker: ChangeWatcher) {
    this.#options = options
    this.#waker = waker
    this.#place = options.place
    this.#fromStart = options.fromStart
    this.#begun = options.fromStart || options.place !== undefined
  }

  async run(): Promise<void> {
    const { signal, once, pollMs = POLL_MS } = this.#options
    for (;;) {
      signal.throwIfAborted()
      const moved = this.#file ? await this.#goOn(this.#file) : await this.#open()
      if (moved) continue
      if (once) return
      await this.#waker.wait(pollMs, signal)
    }
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }

  /** Opens what is at the path. @returns whether there is something to read now */
  async #open(): Promise<boolean> {
    const file = await this.#openLog()
    if (!file) return this.#missing()
    this.#wasOpen = true
    const { path, once, signal, clock, onBatch, before } = this.#options
    const [known, begun, fromStart] = [this.#place, this.#begun, this.#fromStart]
    const begin = { path, once, signal, clock, onBatch, before, known, begun, fromStart }
    const from = await startPosition(file, begin).catch(async (error: unknown) => {
      await file.close()
      throw error
    })
    // What comes next in an empty log is new.
    this.#begun = true
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

  /** A log that was read is waited for when it cannot be: it may be locked, or on its way to another place. */
  #openLog(): Promise<LogFile | undefined> {
    const { path } = this.#options
    return (isGzipped(path) ? openGzippedLog(path) : openLog(path)).catch((error: unknown) => {
      const isPassing = this.#wasOpen && !this.#options.once
      if (isPassing && error instanceof CliError && error.code === LOG_NOT_READABLE) return undefined
      throw error
    })
  }

  #missing(): false {
    const { path, once, onNote } = this.#options
    if (once) {
      throw new CliError({
        code: 'log_not_found',
        message: 'There is no log at that path.',
        hint: 'Without a path the usual places are searched: fish-cli watch',
        exit: EXIT.notFound,
      })
    }
    if (!this.#toldMissing) onNote(`There is no log at ${path}; it is read as soon as there is one.`)
    this.#toldMissing = true
    // What comes to be while somebody waits for it is read from its beginning.
    this.#begun = true
    return false
  }

  /** Reads on in the open file. @returns whether there may be more to read now */
  async #goOn(file: LogFile): Promise<boolean> {
    const { path, once, clock, onBatch } = this.#options
    const place = this.#place
    if (!place) return false
    const isReplaced = (await identityAt(path)) !== file.identity
    const { size, writtenAt } = await file.facts()
    if (!(await isUnchangedTo(file, place))) {
      // Cut off, and perhaps begun anew.
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

/** Waits for something to happen to a file. */
interface ChangeWatcher {
  /** Settles after that time, or when something changed beside the file since the last call. @throws the signal's reason */
  wait(ms: number, signal: AbortSignal): Promise<void>
  close(): void
}

/**
 * Wakes up when a file, or another of its folder, changes. Where the system cannot tell, as on network drives, or the
 * folder is not there, only time wakes it.
 */
function watchForChanges(path: string): ChangeWatcher {
  let changed = false
  let wake: (() => void) | undefined
  const changes = watchFolder(dirname(path), () => {
    changed = true
    wake?.()
  })
  return {
    async wait(ms, signal) {
      signal.throwIfAborted()
      if (!changed) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
          signal.addEventListener('abort', wake, { once: true })
        })
        if (wake) signal.removeEventListener('abort', wake)
        wake = undefined
      }
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
