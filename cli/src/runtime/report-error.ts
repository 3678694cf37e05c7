import type { Context, Role } from '../core/context.ts'
import { CliError, EXIT } from '../core/errors.ts'
import { hasJsonFlag } from '../core/format.ts'
import type { Command } from '../kit/define.ts'
import { screenOf } from '../output/screen.ts'
import { reportJson, reportText, wrapMessage } from '../output/text.ts'

export interface FailedCommand {
  readonly argv: readonly string[]
  /** Absent if the command is unknown. */
  readonly command?: (Command & { readonly id: string }) | undefined
  readonly role?: Role | undefined
  readonly error: unknown
}

export async function reportError(context: Context, { argv, command, role, error }: FailedCommand): Promise<number> {
  context.line.end()
  // The module that describes errors of the service is loaded only for errors other than `CliError`.
  const { code, message, hint, exit, requestId, retryAt } =
    error instanceof CliError ? error : (await import('../client/describe-error.ts')).describeError(error, role)
  const help = exit === EXIT.usage && command ? `See: fish-cli ${command.id.replaceAll(':', ' ')} --help` : null
  const report = { code, message, hint: hint ?? help, exit, requestId, retryAt }
  if (hasJsonFlag(argv)) context.stdout.write(reportJson(report))
  else context.stderr.write(wrapMessage(reportText(report), screenOf(context, context.stderr)))
  return exit
}
