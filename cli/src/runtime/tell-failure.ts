import { CliError } from '../core/cli-error.ts'
import { EXIT } from '../core/exit.ts'
import { type Failure, ownFailure } from '../core/failure.ts'
import type { RunIo } from '../core/run-io.ts'
import { asksForJson, namesFormat } from '../output/format.ts'
import { screenOf } from '../output/screen.ts'
import { wrappedMessage } from '../output/text.ts'
import type { FishCommand } from './fish-command.ts'
import { failureJson, failureText } from './render-failure.ts'

/** What is known of a command line that failed. */
export interface FailedRun {
  readonly argv: readonly string[]
  /** Absent where there is no such command. */
  readonly command?: FishCommand | undefined
  readonly error: unknown
}

/** Tells a failure in the form that was asked for, and answers the exit status. */
export async function tellFailure(io: RunIo, { argv, command, error }: FailedRun): Promise<number> {
  io.line.end()
  const failure = withHelp(await describe(error, command), command?.id)
  const wantsJson = asksForJson(argv) || (!namesFormat(argv) && (await command?.presetsJson()))
  if (wantsJson) io.stdout.write(failureJson(failure))
  else io.stderr.write(wrappedMessage(failureText(failure), screenOf(io, io.stderr).width))
  return failure.exit
}

/** What was typed wrongly is told without loading what tells the failures of a service. */
async function describe(error: unknown, command: FishCommand | undefined): Promise<Failure> {
  if (error instanceof CliError) return ownFailure(error)
  const { describeFailure } = await import('./describe-failure.ts')
  return describeFailure(error, command?.needs)
}

/** Whoever typed something wrong finds in the help of the command what is right. */
function withHelp(failure: Failure, id: string | undefined): Failure {
  if (failure.hint !== null || failure.exit !== EXIT.usage || id === undefined) return failure
  return { ...failure, hint: `See: fish-cli ${id.replaceAll(':', ' ')} --help` }
}
