/** A log of a game that the app has found. */
export interface AppGame {
  readonly path: string
  readonly launcher: string | null
  /** Whether the app reads the log. */
  readonly followed: boolean
  /** The gamemode of the next catch, or the reason why the app skips the log. */
  readonly note: string
}

/** A catch that the app has added. */
export interface AppCatch {
  readonly kind: 'fish' | 'crab'
  readonly name: string
  readonly rarity: string | null
  readonly gamemode: string
  /** ISO 8601. */
  readonly caughtAt: string
}

/** The catches of one day on this computer. */
export interface AppDay {
  /** The local date as `YYYY-MM-DD`. */
  readonly date: string
  readonly fish: number
  readonly crabs: number
  /** The rarest fish, the earliest of several. */
  readonly best: AppCatch | null
  /** At most 50, newest first. */
  readonly catches: readonly AppCatch[]
}

export interface AppProblem {
  readonly message: string
  readonly hint: string | null
}

/** A question of an operation, which waits for the reply. */
export interface AppQuestion {
  readonly id: number
  readonly text: string
  /** Lines about the consequences. */
  readonly about: readonly string[]
  /** `confirm` has the replies `yes` and `no`, and `choice` has the replies in `choices`. */
  readonly kind: 'confirm' | 'choice' | 'secret'
  readonly choices: readonly string[]
}

/** The whole state of the app. `GET /api/events` streams it: first at once, then after each change. */
export interface AppState {
  readonly version: string
  /** The version of the service, if it is newer than the app. */
  readonly newerVersion: string | null
  /** `null` until the player logs in. */
  readonly account: { readonly user: string; readonly service: string; readonly gamemode: string | null } | null
  readonly running: boolean
  readonly starting: boolean
  readonly games: readonly AppGame[]
  readonly day: AppDay
  /** The reasons are `null` if no catch waits, or if no catch was rejected. */
  readonly queue: {
    readonly waiting: number
    readonly waitingReason: string | null
    readonly rejected: number
    readonly rejectedReason: string | null
  }
  readonly question: AppQuestion | null
  /** The progress of the current operation, such as `Reading 3 of 20 logs`. */
  readonly progress: string | null
  readonly problem: (AppProblem & { readonly needsLogin: boolean }) | null
  /** Whether the app starts with the computer. `null` until this is known. */
  readonly startsWithComputer: boolean | null
}

/** The body of each response that reports a failure. The status 401 means that the secret is wrong. */
export interface AppErrorBody {
  readonly error: AppProblem
}

/** The text of a login file, or what the player typed. */
export type LoginBody =
  | { readonly file: string }
  | { readonly service: string; readonly name: string; readonly password: string }

/** The old and the new password of the player. */
export interface PasswordBody {
  readonly password: string
  readonly newPassword: string
}

/** The requests of the page by path: each is a POST of `body`, and its response is `response`. */
export interface AppRequests {
  readonly session: { readonly body: { readonly code: string }; readonly response: { readonly secret: string } }
  readonly login: { readonly body: LoginBody; readonly response: LoginResult }
  /** Deletes the login files that the login found. */
  readonly 'delete-login-files': { readonly body: Empty; readonly response: Empty }
  readonly start: { readonly body: Empty; readonly response: Empty }
  readonly stop: { readonly body: Empty; readonly response: Empty }
  /** The message says which catches were removed. */
  readonly undo: { readonly body: Empty; readonly response: { readonly message: string } }
  /** Sends rejected catches again. */
  readonly retry: { readonly body: Empty; readonly response: Empty }
  /** Adds the catches of a batch that the page has uploaded, or of the folders of all games. */
  readonly 'old-logs': { readonly body: { readonly batch?: string }; readonly response: { readonly message: string } }
  /** The reply `null` cancels the question. */
  readonly reply: {
    readonly body: { readonly id: number; readonly reply: string | null }
    readonly response: Empty
  }
  readonly autostart: { readonly body: { readonly enabled: boolean }; readonly response: Empty }
  /** Replaces the password of the player. */
  readonly password: { readonly body: PasswordBody; readonly response: Empty }
  readonly logout: { readonly body: Empty; readonly response: Empty }
  readonly quit: { readonly body: Empty; readonly response: Empty }
}

export interface LoginResult {
  /** The password of the login file. */
  readonly passwordToSave: string | null
  /** The paths of the same login file in the folder for downloads. */
  readonly loginFiles: readonly string[]
}

type Empty = Readonly<Record<string, never>>
