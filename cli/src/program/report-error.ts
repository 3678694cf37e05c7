import { CliError, EXIT } from '../core/errors.ts'
import type { Role, System } from '../core/system.ts'
import type { Command } from '../kit/define.ts'
import { screenOf } from '../terminal/screen.ts'
import { renderMessage, reportJson, reportLines } from '../terminal/text.ts'

interface FailedCommand {
  /** Absent if the command is unknown. */
  readonly command?: (Command & { readonly id: string }) | undefined
  readonly role?: Role | undefined
  readonly json: boolean
  readonly error: unknown
}

export async function reportError(system: System, { command, role, json, error }: FailedCommand): Promise<number> {
  // The module that describes errors of the service is loaded only for errors other than `CliError`.
  const { code, message, hint, exit, requestId, retryAt } =
    error instanceof CliError ? error : (await import('../core/describe-error.ts')).describeError(error, role)
  const help = exit === EXIT.usage && command ? `See: fish-cli ${command.id.replaceAll(':', ' ')} --help` : null
  const report = { code, message, hint: hint ?? help, exit, requestId, retryAt }
  if (json) system.stdout.write(reportJson(report))
  else system.stderr.write(`${renderMessage(reportLines(report), screenOf(system, system.stderr))}\n`)
  return exit
}
