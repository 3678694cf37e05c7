import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LogEncoding } from './log-encoding.ts'
import { identityAt, isUnreadable, type LogFile, openLog } from './log-file.ts'
import { isContinued, type ReadOptions, readBatch, readToEnd, startOf } from './log-reader.ts'
import type { LogPosition, WatchedCatch } from './parser.ts'
import { type RotationOptions, readRotated } from './rotation.ts'

interface Start {
  /** `undefined` if the log has no lines yet, so that every later line is new. */
  readonly position: LogPosition | undefined
  /** The catches before the position. */
  readonly skipped: readonly WatchedCatch[]
}

/**
 * Returns the end of a log that has no stored position.
 * @throws CliError `log_not_readable`
 */
export async function findEnd(
  path: string,
  options: Pick<ReadOptions, 'signal' | 'chat'> & { readonly encoding: LogEncoding },
): Promise<Start> {
  const skipped: WatchedCatch[] = []
  const file = await openLog(path, options.encoding)
  if (!file) return { position: undefined, skipped }
  try {
    const start = await startOf(file, { path, isWhole: false })
    if (!start) return { position: undefined, skipped }
    const onBatch = ({ catches }: { readonly catches: readonly WatchedCatch[] }) => void skipped.push(...catches)
    return { position: await readToEnd(file, start, { ...options, isWhole: false, onBatch }), skipped }
  } finally {
    await file.close()
  }
}

const POLL_MS = 250
const IDLE_POLL_MS = 2000
const IDLE_AFTER = 20

interface FollowOptions extends RotationOptions {
  /** @default the beginning of the log */
  readonly position: LogPosition | undefined
  readonly onMissing: () => void
}

/**
 * Follows a log, even if the log is truncated, renamed, compressed or deleted. When the signal aborts, throws the
 * reason of the signal.
 */
export async function follow(options: FollowOptions): Promise<never> {
  const { path, signal, onMissing } = options
  const changes = watchForChanges(path)
  let { position } = options
  let isMissing = false
  try {
    for (;;) {
      signal.throwIfAborted()
      // A log that cannot be read counts as missing, because the log may be locked or moved at this moment.
      const file = await openLog(path, options.encoding).catch((error: unknown) => {
        if (!isUnreadable(error)) throw error
      })
      if (!file && !isMissing) onMissing()
      isMissing = !file
      if (file) position = await readFile(file, position, options, changes).finally(() => file.close())
      else await changes.wait(POLL_MS, signal)
    }
  } finally {
    changes.close()
  }
}

/** Reads until another file or other content replaces the log. Returns `undefined` while the log has no lines. */
async function readFile(
  file: LogFile,
  known: LogPosition | undefined,
  options: FollowOptions,
  changes: Changes,
): Promise<LogPosition | undefined> {
  const { path, signal, onBatch } = options
  let position = known
  if (!position || !(await isContinued(file, position))) {
    const before = known && (await readRotated(known, options))
    position = await startOf(file, { path, isWhole: false, before })
    if (!position) {
      await changes.wait(POLL_MS, signal)
      return before
    }
    await onBatch({ catches: [], unrecognized: [], position })
  }
  let sizeBefore = -1
  for (let idle = 0; ; idle += 1) {
    signal.throwIfAborted()
    const isReplaced = (await identityAt(path)) !== file.identity
    const { size } = await file.facts()
    const isSettled = isReplaced || size === sizeBefore
    if (size !== sizeBefore) idle = 0
    sizeBefore = size
    const batch = await readBatch(file, position, { ...options, isSettled, isWhole: false })
    if (batch === 'rewritten') return position
    if (batch !== 'end') {
      position = batch.position
      await onBatch(batch)
    } else if (isReplaced) return position
    else await changes.wait(idle < IDLE_AFTER ? POLL_MS : IDLE_POLL_MS, signal)
  }
}

type Changes = ReturnType<typeof watchForChanges>

/** Watches the folder of a log. A missing folder and network drives report no changes, so only the timeout applies. */
function watchForChanges(path: string) {
  let changed = false
  let wake: (() => void) | undefined
  const watcher = watchFolder(dirname(path), () => {
    changed = true
    wake?.()
  })
  return {
    /**
     * Resolves early if the folder has changed since the last call.
     * @throws the signal's reason
     */
    async wait(ms: number, signal: AbortSignal): Promise<void> {
      const woken = new AbortController()
      wake = () => woken.abort()
      const either = AbortSignal.any([signal, woken.signal])
      if (!changed) await sleep(ms, undefined, { signal: either }).catch(() => {})
      wake = undefined
      changed = false
      signal.throwIfAborted()
    },
    close: () => watcher?.close(),
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
