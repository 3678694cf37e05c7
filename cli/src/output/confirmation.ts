import { CliError, usageError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'
import type { Io } from '../core/io.ts'

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
  // Loaded when somebody is asked: reading lines takes long to load.
  const { askLine } = await import('./ask-line.ts')
  // The end of input is no yes.
  const answer = (await askLine(io, { question: `${question}? [y/N] `, isSecret: false })) ?? ''
  if (/^y(es)?$/i.test(answer.trim())) return
  throw new CliError({ code: 'not_confirmed', message: 'Nothing was changed.', exit: EXIT.failure })
}
