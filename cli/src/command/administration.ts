import { isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { openAdminClient } from '../client/admin.ts'
import { usageError } from '../core/errors.ts'
import type { CommandContext } from './define.ts'
import { adminFlag, noInputFlag, serviceFlags } from './flags.ts'

/** Flags of every command of administrators. */
export const administrationFlags = { ...adminFlag, ...serviceFlags, ...noInputFlag }

export type Administration = Awaited<ReturnType<typeof openAdministration>>

/** A client with the role of an administrator, and the options of its calls. Logs in if no session is stored. */
export async function openAdministration(context: CommandContext) {
  const { flags } = context
  const admin = await openAdminClient(context, context.target, { noInput: flags['no-input'] })
  return { admin, options: { signal: context.interrupted() } }
}

/** The name of the administrator that a command is about, not of the one who runs it. @throws CliError when it cannot be one */
export function parseAdminName(text: string): string {
  if (isUserName(text)) return text
  throw usageError(`NAME must be ${USER_NAME_RULE}.`)
}
