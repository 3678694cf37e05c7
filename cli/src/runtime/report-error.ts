import type { Context } from '../core/context.ts'
import { CliError, type ErrorReport, EXIT, reportOf } from '../core/errors.ts'
import { reportJson, reportText } from '../output/error-report.ts'
import { hasFormatFlag, hasJsonFlag } from '../output/format.ts'
import { screenOf } from '../output/screen.ts'
import { wrapMessage } from '../output/text.ts'
import type { FishCommand } from './fish-command.ts'

/** What is known of a command line that failed. */
export interface FailedCommand {
  readonly argv: readonly string[]
  /** Absent where there is no such command. */
  readonly command?: FishCommand | undefined
  readonly error: unknown
}

/** Tells a failure in the form that was asked for, and answers the exit status. */
export async function reportError(io: Context, { argv, command, error }: FailedCommand): Promise<number> {
  io.line.end()
  const failure = withHelp(await describe(error, command), command?.id)
  const wantsJson = hasJsonFlag(argv) || (!hasFormatFlag(argv) && (await command?.presetsJson()))
  if (wantsJson) io.stdout.write(reportJson(failure))
  else io.stderr.write(wrapMessage(reportText(failure), screenOf(io, io.stderr).width))
  return failure.exit
}

/** What was typed wrongly is told without loading what tells the failures of a service. */
async function describe(error: unknown, command: FishCommand | undefined): Promise<ErrorReport> {
  if (error instanceof CliError) return reportOf(error)
  const { describeError } = await import('../client/describe-error.ts')
  return describeError(error, command?.needs)
}

/** Whoever typed something wrong finds in the help of the command what is right. */
function withHelp(failure: ErrorReport, id: string | undefined): ErrorReport {
  if (failure.hint !== null || failure.exit !== EXIT.usage || id === undefined) return failure
  return { ...failure, hint: `See: fish-cli ${id.replaceAll(':', ' ')} --help` }
}
