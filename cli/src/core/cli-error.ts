import { EXIT, type ExitStatus } from './exit.ts'

/** What a {@link CliError} is made from. */
export interface CliErrorFields {
  /** Stable name of what went wrong, in snake case. */
  readonly code: string
  readonly message: string
  /** The next step to take, as a sentence. */
  readonly hint?: string
  readonly exit: ExitStatus
  /** When to try again. */
  readonly retryAt?: Date | undefined
  /** Names the request in the server's log. */
  readonly requestId?: string | undefined
}

/** A failure that `fish-cli` found itself. Message and hint are shown as they are, so they hold no secret. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: string
  readonly hint: string | undefined
  readonly exit: ExitStatus
  readonly retryAt: Date | undefined
  readonly requestId: string | undefined

  constructor({ code, message, hint, exit, retryAt, requestId }: CliErrorFields) {
    super(message)
    this.code = code
    this.hint = hint
    this.exit = exit
    this.retryAt = retryAt
    this.requestId = requestId
  }
}

/** The command was typed wrongly. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError({ code: 'usage', message, exit: EXIT.usage, ...(hint === undefined ? {} : { hint }) })
}

/** Ctrl-C. */
export function interruption(): CliError {
  return new CliError({ code: 'interrupted', message: 'Interrupted.', exit: EXIT.interrupted })
}
