import type { Readable, Writable } from 'node:stream'
import type { Clock } from '@fish-crab/sdk'
import type { PasswordHasher } from '@fish-crab/server/app'
import type { AsyncEntry } from '@napi-rs/keyring'

export type Env = Readonly<Record<string, string | undefined>>

export type Tty<Stream> = Stream & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }

/** The role that a command needs, as shown in error messages. */
export type Role = 'player' | 'administrator' | 'superadmin'

export type KeyringEntry = Pick<AsyncEntry, 'getPassword' | 'setPassword' | 'deletePassword'>

/** Opens an entry of the keyring. Throws if there is no keyring. */
export type OpenEntry = (service: string, account: string) => KeyringEntry

/** The parts of the process that a command uses. Tests replace these parts. */
export interface System {
  readonly env: Env
  readonly stdin: Tty<Readable>
  readonly stdout: Tty<Writable>
  readonly stderr: Tty<Writable>
  /** Returns a signal that aborts at the next Ctrl-C. A second Ctrl-C ends the process as usual. */
  readonly interrupted: () => AbortSignal
  /** The nth call of the returned function resolves at the nth SIGTERM, SIGINT or SIGHUP. */
  readonly stopRequests: () => () => Promise<void>
  readonly clock?: Clock | undefined
  readonly keyring?: OpenEntry | undefined
  readonly passwords?: PasswordHasher | undefined
  /** Shows a text in a pager. Returns whether the pager exists. */
  readonly page?: ((pager: string, text: string) => Promise<boolean>) | undefined
  /** Opens a URL on the desktop. Returns whether a browser was found. */
  readonly openBrowser?: ((url: string) => Promise<boolean>) | undefined
}
