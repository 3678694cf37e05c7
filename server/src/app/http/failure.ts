import { ERROR_CODES, type ErrorCode } from '@fish-crab/sdk/contract'

/** One thing that is wrong with a request, and where. */
export interface FailureDetail {
  readonly path: string
  readonly message: string
}

/** What a failure adds to its code. */
export interface FailureOptions {
  /** Replaces the code's own sentence. */
  readonly message?: string
  readonly details?: readonly FailureDetail[]
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** Thrown to end a request with a documented error. Everything it holds but `cause` may be shown to the client. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: ErrorCode
  readonly status: number
  readonly details: readonly FailureDetail[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, { message, details, headers = {}, cause }: FailureOptions = {}) {
    super(message ?? ERROR_CODES[code].message, { cause })
    this.code = code
    this.status = ERROR_CODES[code].status
    this.details = details
    this.headers = headers
  }
}
