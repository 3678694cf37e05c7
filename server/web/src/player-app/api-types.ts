/** The whole state of the program for players, as `GET /api/events` sends it. */
export interface AppState {
  readonly version: string
  readonly account: { readonly user: string; readonly service: string; readonly gamemode: string | null } | null
  readonly running: boolean
  readonly starting: boolean
  readonly games: readonly { readonly path: string; readonly launcher: string | null; readonly note: string }[]
  /** Newest first, at most 50 of this run. */
  readonly catches: readonly AppCatch[]
  readonly totals: { readonly fish: number; readonly crabs: number }
  readonly queue: { readonly waiting: number; readonly rejected: number }
  /** Newest last, at most 20. */
  readonly messages: readonly { readonly id: number; readonly text: string }[]
  readonly problem: AppProblem | null
}

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
  readonly needsLogin: boolean
}

/** The body of `POST /api/login`. */
export type LoginRequest =
  | { readonly file: string }
  | { readonly service: string; readonly name: string; readonly password: string }

export interface LoginResponse {
  /** The password in the login file, which is stored nowhere else. */
  readonly passwordToSave: string | null
}

/** The body of a failed request. */
export interface AppFailure {
  readonly error: { readonly message: string; readonly hint: string | null }
}
