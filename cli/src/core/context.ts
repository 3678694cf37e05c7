import type { Readable, Writable } from 'node:stream'
import type { Clock } from '@fish-crab/sdk'
import type { PasswordHasher } from '@fish-crab/server/app'

export type Env = Readonly<Record<string, string | undefined>>

/** A stream that may be a terminal, with its size in cells and lines. */
export type Terminal<Stream> = Stream & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }

/** Role that a command requires; used in error messages. */
export type Role = 'player' | 'administrator' | 'superadmin'

/** A program that pages long text. */
export interface PagerCommand {
  readonly command: string
  readonly args: readonly string[]
  /** Whether a shell splits the command, as in `PAGER="less -S"`. */
  readonly shell: boolean
}

/** One secret in the system's keyring; the library's `AsyncEntry`. */
export interface KeyringEntry {
  getPassword(): Promise<string | null | undefined>
  setPassword(password: string): Promise<void>
  deletePassword(): Promise<unknown>
}

/** Opens the entry of an account. @throws when there is no keyring */
export type OpenEntry = (service: string, account: string) => KeyringEntry

/** The status line on stderr, rewritten in place. It exists on terminals only. */
export interface StatusLine {
  /** Whether stderr is a terminal. Elsewhere `set` does nothing; use `say`. */
  readonly isLive: boolean
  /** Sets one part of the line; `undefined` removes it. Parts are ordered by their first use. */
  set(part: string, text: string | undefined): void
  /** Writes a message to stderr, wrapped to the terminal, above the status line. */
  say(line: string): void
  /** Clears the line so that something else can be written; the next `set` shows it again. */
  clear(): void
  /** Clears the line for good and runs the callbacks given to `onEnd`. */
  end(): void
  /** Registers a callback for the end of the command, however it ends. */
  onEnd(stop: () => void): void
}

/** A service and an account there. Secrets are stored elsewhere. */
export interface Profile {
  readonly url: string
  /** The player. */
  readonly user?: string | undefined
  readonly gamemode?: string | undefined
  /** The administrator. */
  readonly admin?: string | undefined
  /** Where the secrets of this profile are; absent while it has none. */
  readonly secrets?: 'keyring' | 'file' | undefined
}

export interface Config {
  /** The profile in use unless another is named. */
  readonly current: string | undefined
  readonly profiles: ReadonlyMap<string, Profile>
  readonly settings: {
    readonly gamemode?: string
    readonly 'max-wait'?: string
    readonly output?: string
    readonly 'secret-store'?: string
  }
}

/** The process as a command sees it: environment, streams and signals. Tests bring their own. */
export interface System {
  readonly env: Env
  readonly stdin: Terminal<Readable>
  readonly stdout: Terminal<Writable>
  readonly stderr: Terminal<Writable>
  /** Returns a signal that aborts at the next Ctrl-C. A second one ends the process as usual. */
  readonly interrupted: () => AbortSignal
  /** Turns SIGTERM and SIGINT into requests to stop. The nth call of the returned function resolves at the nth request. */
  readonly stopRequests: () => () => Promise<void>
  /** @default the clock of this machine */
  readonly clock?: Clock | undefined
  /** Start of the process in milliseconds since 1970. @default the start of the import, by the clock of the run */
  readonly startedAt?: number | undefined
  /** @default the keyring of the system */
  readonly keyring?: OpenEntry | undefined
  /** Hashes passwords in commands that work on the data themselves. @default scrypt at the cost that OWASP recommends */
  readonly passwords?: PasswordHasher | undefined
  /** Pages a text; returns whether a pager was available. @default no pager */
  readonly page?: ((pager: PagerCommand, text: string) => Promise<boolean>) | undefined
}

/** Writes messages about a command. */
export interface Notes {
  /** Writes a message to stderr, unless `--json` is given. */
  note(text: string): void
}

/** The system with what one run adds. */
export interface Context extends System {
  readonly clock: Clock
  readonly line: StatusLine
  /** Read at the first access. @throws CliError when the file is invalid */
  readonly config: Config
}
