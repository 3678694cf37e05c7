import { CliError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'

/** What was to be done with a file. */
export type FileDeed = 'read' | 'written' | 'locked'

/** A failure of the file system, told with the path and its name for it, and never with content. */
export function fileFailure({ code, name }: NodeJS.ErrnoException, path: string, deed: FileDeed): CliError {
  return new CliError({
    code: `file_not_${deed}`,
    message: `${path} cannot be ${deed} (${code ?? name}).`,
    hint: 'Check that the folder and the file belong to you and that the disk has room, or set XDG_CONFIG_HOME and XDG_STATE_HOME.',
    exit: EXIT.failure,
  })
}

/** Whether an error of the file system says that there is no such file. */
export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** An error as the file system throws it, for what was found out before it had to. */
export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code })
}
