import { isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { openAdminClient } from '../client/admin.ts'
import { usageError } from '../core/errors.ts'
import type { CommandContext } from './define.ts'
import { adminFlag, noInputFlag, serviceFlags } from './flags.ts'

export const administrationFlags = { ...adminFlag, ...serviceFlags, ...noInputFlag }

/** Whether the command line or the environment names an administrator or contains an administrator's password. */
export function isAdministrator({ target, env }: CommandContext): boolean {
  return target.admin !== undefined || Boolean(env.FISH_ADMIN_PASSWORD || env.FISH_ADMIN_PASSWORD_FILE)
}

export type Administration = Awaited<ReturnType<typeof openAdministration>>

export async function openAdministration(context: CommandContext) {
  const { flags } = context
  const admin = await openAdminClient(context, context.target, { noInput: flags['no-input'] })
  return { admin, options: { signal: context.interrupted() } }
}

/**
 * Parses the name of the administrator whom a command changes, as opposed to the administrator who runs the command.
 */
export function parseAdminName(text: string): string {
  if (isUserName(text)) return text
  throw usageError(`NAME must be ${USER_NAME_RULE}.`)
}
