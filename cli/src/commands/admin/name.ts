import { isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { usageError } from '../../core/errors.ts'

/**
 * Parses the name of the administrator whom a command changes, as opposed to the administrator who runs the command.
 */
export function parseAdminName(text: string): string {
  if (isUserName(text)) return text
  throw usageError(`NAME must be ${USER_NAME_RULE}.`)
}
