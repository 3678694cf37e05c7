import type { AdminClient } from '@fish-crab/sdk/admin'
import { isUserName, USER_NAME_RULE } from '@fish-crab/sdk/constants'
import { openAdminClient } from '../client/admin.ts'
import { resolveTarget, type TargetFlags } from '../config/target.ts'
import type { Role } from '../core/context.ts'
import { usageError } from '../core/errors.ts'
import { FishCommand } from '../runtime/fish-command.ts'
import { adminFlag, noInputFlag, serviceFlags } from './flags.ts'

/** Flags of every command of administrators. */
export const administrationFlags = { ...adminFlag, ...serviceFlags, ...noInputFlag }

/** What {@link administrationFlags} become. */
interface AdministrationFlags extends TargetFlags {
  readonly 'no-input'?: boolean | undefined
}

/** A client with the rights of an administrator, and what each of its calls is told. */
export interface Administration {
  readonly admin: AdminClient
  readonly options: { readonly signal: AbortSignal }
}

/** A command of administrators. */
export abstract class AdministrationCommand extends FishCommand {
  override needs: Role = 'administrator'

  /** Logs in where no session is kept. */
  protected async administration(flags: AdministrationFlags): Promise<Administration> {
    const admin = await openAdminClient(this.io, resolveTarget(this.io, flags), { noInput: flags['no-input'] })
    return { admin, options: { signal: this.io.interrupted() } }
  }
}

/** The name of an administrator that a command is about, not of who types it. @throws CliError when it cannot be one */
export function parseAdminName(text: string): string {
  if (isUserName(text)) return text
  throw usageError(`NAME must be ${USER_NAME_RULE}.`)
}
