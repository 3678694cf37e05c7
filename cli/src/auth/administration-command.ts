import type { AdminClient } from '@fish-crab/sdk/admin'
import type { ServiceFlags } from '../client/open-client.ts'
import type { Rights } from '../core/rights.ts'
import { FishCommand } from '../runtime/fish-command.ts'
import { adminFlag, noInputFlag, serviceFlags } from '../runtime/flags.ts'
import { openAdministrator } from './administrator.ts'

/** Flags of every command of administrators. */
export const administrationFlags = { ...adminFlag, ...serviceFlags, ...noInputFlag }

/** What {@link administrationFlags} become. */
export interface AdministrationFlags extends ServiceFlags {
  readonly 'no-input'?: boolean | undefined
}

/** A client with the rights of an administrator, and what each of its calls is told. */
export interface Administration {
  readonly admin: AdminClient
  readonly options: { readonly signal: AbortSignal }
}

/** A command of administrators. */
export abstract class AdministrationCommand extends FishCommand {
  override needs: Rights = 'administrator'

  /** Logs in where no session is kept. */
  protected async administration(flags: AdministrationFlags): Promise<Administration> {
    const admin = await openAdministrator(this.io, flags, { noInput: flags['no-input'] })
    return { admin, options: { signal: this.io.interrupted() } }
  }
}
