import { CliError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'

/**
 * What it means that stdout cannot be written. A reader that has seen enough, such as `head`, is no failure.
 *
 * @returns `undefined` where it is none
 */
export function stdoutFailure({ code, name }: NodeJS.ErrnoException): CliError | undefined {
  if (code === 'EPIPE') return undefined
  const full = code === 'ENOSPC'
  return new CliError({
    code: 'output_not_written',
    message: `What was to be printed could not be written (${full ? 'ENOSPC: the disk is full' : (code ?? name)}).`,
    hint: full ? 'Make room, or write to another place.' : 'Write to another place.',
    exit: EXIT.failure,
  })
}
