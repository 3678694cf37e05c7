import type { Readable, Writable } from 'node:stream'
import type { Clock } from '@fish-crab/sdk'
import type { ChatTemplate } from '@fish-crab/sdk/chat'
import type { PasswordHasher } from '@fish-crab/server/app'
import type { AsyncEntry } from '@napi-rs/keyring'

export type Env = Readonly<Record<string, string | undefined>>

export type Terminal<Stream> = Stream & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }

/** The role that a command needs, as shown in error messages. */
export type Role = 'player' | 'administrator' | 'superadmin'

export type KeyringEntry = Pick<AsyncEntry, 'getPassword' | 'setPassword' | 'deletePassword'>

/** Opens an entry of the keyring. Throws if there is no keyring. */
export type OpenEntry = (service: string, account: string) => KeyringEntry

/** The status line on stderr, rewritten in place. */
export interface StatusLine {
  /** Whether stderr is a terminal. Otherwise, `set` does nothing; use `say`. */
  readonly isLive: boolean
  /** Sets the text of a part; `undefined` removes the part. Parts are ordered by their first use. */
  set(part: string, text: string | undefined): void
  /** Writes a message to stderr, wrapped to the terminal, above the status line. */
  say(line: string): void
  /** Clears the line so that other output can be written. The next `set` shows the line again. */
  clear(): void
  end(): void
  /** Registers a callback that is called when the command ends, even after an error. */
  onEnd(stop: () => void): void
}

export interface Profile {
  readonly url: string
  readonly user?: string | undefined
  readonly gamemode?: string | undefined
  readonly admin?: string | undefined
  readonly secrets?: 'keyring' | 'file' | undefined
}

export interface Config {
  readonly current: string | undefined
  readonly profiles: ReadonlyMap<string, Profile>
  /** Messages that `watch` recognizes besides the messages of the game. */
  readonly patterns: readonly ChatTemplate[]
  readonly settings: {
    readonly encoding?: string
    readonly gamemode?: string
    readonly 'max-wait'?: string
    readonly notify?: string
    readonly 'secret-store'?: string
  }
}

/** The parts of the process that a command uses. Tests replace these parts. */
export interface System {
  readonly env: Env
  readonly stdin: Terminal<Readable>
  readonly stdout: Terminal<Writable>
  readonly stderr: Terminal<Writable>
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

export interface Notes {
  /** Writes a message to stderr, unless `--json` is given. */
  note(text: string): void
}

export interface Context extends System {
  /** The words of the command line after the program. */
  readonly argv: readonly string[]
  readonly clock: Clock
  readonly line: StatusLine
  /** The configuration is read at the first access, which throws when the file is invalid. */
  readonly config: Config
}
