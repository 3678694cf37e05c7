import { createInterface } from 'node:readline'
import { CliError, interruption, usageError } from './cli-error.ts'
import { EXIT } from './exit.ts'
import type { Io } from './io.ts'

/** What a person is asked before something is destroyed. */
export interface ConfirmationRequest {
  /** Without its question mark. */
  readonly question: string
  /** `--yes` */
  readonly yes?: boolean | undefined
  /** `--no-input` */
  readonly 'no-input'?: boolean | undefined
}

/**
 * Asks whether to go on, unless `--yes` said so. Only `y` and `yes` do.
 *
 * @throws CliError `usage` where nobody can be asked, `not_confirmed` for any other answer
 */
export async function confirm(io: Pick<Io, 'stdin' | 'stderr'>, request: ConfirmationRequest): Promise<void> {
  const { question, yes, 'no-input': noInput } = request
  if (yes) return
  if (noInput || !io.stdin.isTTY || !io.stderr.isTTY) {
    throw usageError(`Not done without a yes: ${question}?`, 'Add --yes.')
  }
  if (/^y(es)?$/i.test((await ask(io, `${question}? [y/N] `)).trim())) return
  throw new CliError({ code: 'not_confirmed', message: 'Nothing was changed.', exit: EXIT.failure })
}

function ask({ stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>, question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr, terminal: true, historySize: 0 })
  return new Promise<string>((resolve, reject) => {
    lines.once('SIGINT', () => reject(interruption()))
    // The end of input is no yes.
    lines.once('close', () => resolve(''))
    lines.question(question, resolve)
  }).finally(() => lines.close())
}
