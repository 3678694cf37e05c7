import { EventEmitter, on } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { interruption } from './cli-error.ts'

/** A stream that may be a terminal. */
export type Terminal<Stream> = Stream & { readonly isTTY?: boolean }

/** Everything a command touches of the world around it, so that a test can bring its own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Terminal<Readable>
  readonly stdout: Terminal<Writable>
  readonly stderr: Terminal<Writable>
  /** Aborts at the first Ctrl-C after this call; a second one ends the process as usual. */
  readonly interrupted: () => AbortSignal
  /** From here on, SIGTERM and SIGINT are wishes to stop. The n-th call of what it answers settles at the n-th wish. */
  readonly stopWishes: () => () => Promise<void>
}

/** The streams, environment and signals of this process. */
export function processIo(): Io {
  return {
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    interrupted() {
      const controller = new AbortController()
      // A second signal ends the process as usual.
      for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => controller.abort(interruption()))
      return controller.signal
    },
    stopWishes() {
      const signals = new EventEmitter()
      for (const name of ['SIGTERM', 'SIGINT']) process.on(name, () => signals.emit('stop'))
      // An iterator of events keeps those that come while nobody waits, such as during the start of a server.
      const wishes = on(signals, 'stop')
      return async () => {
        await wishes.next()
      }
    },
  }
}
