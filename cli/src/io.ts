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
  /** Settles at the next SIGTERM or SIGINT. */
  readonly stopRequested: () => Promise<void>
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
      process.once('SIGINT', () => controller.abort(interruption()))
      return controller.signal
    },
    stopRequested: () =>
      new Promise((resolve) => {
        const onSignal = () => {
          process.off('SIGTERM', onSignal)
          process.off('SIGINT', onSignal)
          resolve()
        }
        process.on('SIGTERM', onSignal)
        process.on('SIGINT', onSignal)
      }),
  }
}
