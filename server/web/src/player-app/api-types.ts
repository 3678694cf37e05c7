/** A game whose log the app follows, or skips for the reason in `note`. */
export interface AppGame {
  /** The path of the log. */
  readonly path: string
  readonly launcher: string | null
  readonly note: string
}

/** A catch of this run. */
export interface AppCatch {
  readonly kind: 'fish' | 'crab'
  readonly name: string
  readonly rarity: string | null
  readonly gamemode: string | null
  /** ISO 8601. */
  readonly caughtAt: string
}

export interface AppProblem {
  readonly message: string
  readonly hint: string | null
  /** Whether the request is to be repeated with the password of the player. @default false */
  readonly needsPassword?: boolean
}

/** The whole state of the app. `GET /api/events` streams it: first at once, then after each change. */
export interface AppState {
  readonly version: string
  /** `null` until the player logs in. */
  readonly account: { readonly user: string; readonly service: string; readonly gamemode: string | null } | null
  readonly running: boolean
  readonly starting: boolean
  readonly games: readonly AppGame[]
  /** At most 50, newest first. */
  readonly catches: readonly AppCatch[]
  readonly totals: { readonly fish: number; readonly crabs: number }
  readonly queue: { readonly waiting: number; readonly rejected: number }
  /** At most 20, newest last. */
  readonly messages: readonly { readonly id: number; readonly text: string }[]
  readonly problem: (AppProblem & { readonly needsLogin: boolean }) | null
}

/** The body of each response that reports a failure. The status 401 means that the secret is wrong. */
export interface AppErrorBody {
  readonly error: AppProblem
}

/** The text of a login file, or what the player typed. */
export type LoginBody =
  | { readonly file: string }
  | { readonly service: string; readonly name: string; readonly password: string }

/** The requests of the page by path: each is a POST of `body`, and its response is `response`. */
export interface AppRequests {
  readonly session: { readonly body: { readonly code: string }; readonly response: { readonly secret: string } }
  readonly login: { readonly body: LoginBody; readonly response: { readonly passwordToSave: string | null } }
  readonly start: { readonly body: Empty; readonly response: { readonly message: string } }
  readonly stop: { readonly body: Empty; readonly response: { readonly message: string } }
  readonly undo: { readonly body: { readonly password?: string }; readonly response: { readonly message: string } }
  readonly logout: { readonly body: Empty; readonly response: Empty }
  readonly quit: { readonly body: Empty; readonly response: Empty }
  readonly open: {
    readonly body: { readonly page: 'collection' | 'overlay' }
    readonly response: { readonly url: string }
  }
}

type Empty = Readonly<Record<string, never>>
