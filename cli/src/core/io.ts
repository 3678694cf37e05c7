import { EventEmitter, on } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '@fish-crab/sdk'
import type { PagerCommand } from '../output/pager.ts'
import { interruption } from './cli-error.ts'
import type { Env, Terminal } from './terminal.ts'

/** One secret of the system's keyring; as the library's `AsyncEntry`. */
export interface KeyringEntry {
  getPassword(): Promise<string | null | undefined>
  setPassword(password: string): Promise<void>
  deletePassword(): Promise<unknown>
}

/** Opens the entry of an account. @throws when there is no keyring */
export type OpenEntry = (service: string, account: string) => KeyringEntry

/** Everything a command touches of the world around it, so that a test can bring its own. */
export interface Io {
  readonly env: Env
  readonly stdin: Terminal<Readable>
  readonly stdout: Terminal<Writable>
  readonly stderr: Terminal<Writable>
  /** Aborts at the first Ctrl-C after this call; a second one ends the process as usual. */
  readonly interrupted: () => AbortSignal
  /** From here on, SIGTERM and SIGINT are wishes to stop. The n-th call of what it answers settles at the n-th wish. */
  readonly stopWishes: () => () => Promise<void>
  /** Time, for tests. @default the machine's clock */
  readonly clock?: Clock | undefined
  /** When the process began, milliseconds since 1970. @default when an import begins, by the run's clock */
  readonly startedAt?: number | undefined
  /** Opens an entry of a keyring, for tests. @default the keyring of the system */
  readonly keyring?: OpenEntry | undefined
  /** Shows a text in a pager, and answers whether there was one. @default none is used */
  readonly page?: ((pager: PagerCommand, text: string) => Promise<boolean>) | undefined
}

/** The streams, environment and signals of this process. @param onStopWish hears of each wish to stop */
export function processIo({ onStopWish = () => {} }: { readonly onStopWish?: () => void } = {}): Io {
  return {
    env: process.env,
    // Opening stdin costs time, and whoever does not read it need not.
    get stdin() {
      return process.stdin
    },
    stdout: process.stdout,
    stderr: process.stderr,
    // Asking loads a part of Node that few commands need.
    get startedAt() {
      return performance.timeOrigin
    },
    async page(pager, text) {
      const { runPager } = await import('../output/pager.ts')
      return runPager(pager, text, process.env)
    },
    interrupted() {
      const controller = new AbortController()
      // A second signal ends the process as usual.
      for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => controller.abort(interruption()))
      return controller.signal
    },
    stopWishes() {
      const signals = new EventEmitter()
      signals.on('stop', onStopWish)
      for (const name of ['SIGTERM', 'SIGINT']) process.on(name, () => signals.emit('stop'))
      // An iterator of events keeps those that come while nobody waits, such as during the start of a server.
      const wishes = on(signals, 'stop')
      return async () => {
        await wishes.next()
      }
    },
  }
}
