/** 69 and 75 are `EX_UNAVAILABLE` and `EX_TEMPFAIL` of sysexits(3). */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  credentials: 4,
  notFound: 5,
  conflict: 6,
  partly: 7,
  unreachable: 69,
  rateLimited: 75,
  interrupted: 130,
} as const

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT]

/** The content of `{ "error": … }` under `--json`. */
export interface ErrorReport {
  /** Stable name: the server's `code`, or a code of this program. */
  readonly code: string
  readonly message: string
  readonly hint: string | null
  readonly exit: ExitStatus
  readonly requestId: string | null
  readonly retryAt: string | null
}

type CliErrorFields = Pick<ErrorReport, 'code' | 'message' | 'exit'> & {
  readonly [Field in 'requestId' | 'retryAt']?: ErrorReport[Field] | undefined
} & {
  /** The next step. Each item of a list is a line. */
  readonly hint?: string | readonly string[] | null | undefined
}

/** Joins the lines of a hint. A line break within a line comes from outside, and could imitate another line. */
export function hintText(hint: string | readonly string[]): string {
  return [hint].flat().map(oneLine).join('\n')
}

export function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ')
}

/** An expected error. Neither the message nor the hint may contain secrets. */
export class CliError extends Error implements ErrorReport {
  override readonly name = 'CliError'
  readonly code: string
  readonly hint: string | null
  readonly exit: ExitStatus
  readonly requestId: string | null
  readonly retryAt: string | null

  constructor({ code, message, hint = null, exit, requestId = null, retryAt = null }: CliErrorFields) {
    super(oneLine(message))
    this.code = code
    this.hint = hint === null ? null : hintText(hint)
    this.exit = exit
    this.requestId = requestId
    this.retryAt = retryAt
  }
}

export function usageError(message: string, hint?: CliErrorFields['hint']): CliError {
  return new CliError({ code: 'usage', message, hint, exit: EXIT.usage })
}

export function interruption(): CliError {
  return new CliError({ code: 'interrupted', message: 'Interrupted.', exit: EXIT.interrupted })
}

/** JSON Schema of the document that a failed command prints to stdout under `--json`. */
export const ERROR_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'An error of fish-cli',
  type: 'object',
  required: ['error'],
  additionalProperties: false,
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'hint', 'exit', 'requestId', 'retryAt'],
      additionalProperties: false,
      properties: {
        code: { type: 'string', pattern: '^[a-z][a-z0-9_]*$', description: 'Stable name of the problem.' },
        message: { type: 'string', minLength: 1, description: 'A sentence that describes the problem.' },
        hint: { type: ['string', 'null'], description: 'The next step to take.' },
        exit: { type: 'integer', enum: Object.values(EXIT), description: 'The exit status.' },
        requestId: { type: ['string', 'null'], description: "Id of the request in the server's log." },
        retryAt: { type: ['string', 'null'], format: 'date-time', description: 'Time from which to try again.' },
      },
    },
  },
} as const

/** Returns `undefined` when the reader has closed the pipe, as `head` does. */
export function stdoutError({ code, name }: NodeJS.ErrnoException): CliError | undefined {
  if (code === 'EPIPE') return undefined
  const full = code === 'ENOSPC'
  return new CliError({
    code: 'output_not_written',
    message: `Cannot write to stdout (${full ? 'ENOSPC: the disk is full' : (code ?? name)}).`,
    hint: full ? 'Free some space, or write elsewhere.' : 'Write elsewhere.',
    exit: EXIT.failure,
  })
}
