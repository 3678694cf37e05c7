/** Why a run could not begin. */
export type ConformanceStartCode = 'unreachable' | 'invalid_credentials' | 'rate_limited' | 'unexpected_answer'

const MESSAGES: Readonly<Record<ConformanceStartCode, string>> = {
  unreachable: 'Nothing answers at the address.',
  invalid_credentials: 'The administrator could not log in: the name or the password is wrong.',
  rate_limited: 'Too many failed logins came from this client. Wait until the window of the limit is over.',
  unexpected_answer: 'The login did not answer as the contract says, so that nothing else can be checked.',
}

/** The run could not begin: nothing was checked, nothing was made. */
export class ConformanceStartError extends Error {
  override readonly name = 'ConformanceStartError'
  readonly code: ConformanceStartCode
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined
  /** How long to wait before it can begin, in milliseconds, where the answer said so. */
  readonly retryAfterMs: number | undefined

  constructor(code: ConformanceStartCode, status?: number, retryAfterMs?: number) {
    super(status === undefined ? MESSAGES[code] : `${MESSAGES[code]} (status ${status})`)
    this.code = code
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}
