import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'

/** Waits for something to happen to a file. */
export interface Waker {
  /** Settles after that time, or when something changed beside the file since the last call. @throws the signal's reason */
  wait(ms: number, signal: AbortSignal): Promise<void>
  close(): void
}

/**
 * Wakes up when a file, or another of its folder, changes. Where the system cannot tell, as on network drives, or the
 * folder is not there, only time wakes it.
 */
export function wakerOf(path: string): Waker {
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
