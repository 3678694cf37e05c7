import { isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { usageError } from '../core/cli-error.ts'

/** The name of an administrator that a command is about, not of who types it. @throws CliError when it cannot be one */
export function adminName(text: string): string {
  if (isUserName(text)) return text
  throw usageError(`NAME must be ${USER_NAME_RULE}.`)
}
