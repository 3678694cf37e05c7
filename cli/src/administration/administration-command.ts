import {
  AuthenticationError,
  isAuthenticationError,
  isPermissionDeniedError,
  PermissionDeniedError,
} from '@fish-crab/sdk'
import type { AdminClient } from '@fish-crab/sdk/admin'
import type { ServiceFlags } from '../client.ts'
import { FishCommand } from '../fish-command.ts'
import { adminFlag, noInputFlag, serviceFlags } from '../flags.ts'
import { openAdministrator } from '../secrets/administrator.ts'

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

/**
 * A command of administrators. A refusal for want of rights says whose rights it takes, and one of a session that is
 * over how to open another.
 */
export abstract class AdministrationCommand extends FishCommand {
  /** Who may do what this command does. */
  protected readonly needs: 'administrator' | 'superadmin' = 'administrator'

  /** Logs in where no session is kept. */
  protected async administration(flags: AdministrationFlags): Promise<Administration> {
    const admin = await openAdministrator(this.io, flags, { noInput: flags['no-input'] })
    return { admin, options: { signal: this.io.interrupted() } }
  }

  protected override async catch(error: Error): Promise<never> {
    return super.catch(explained(error, this.needs))
  }
}

function explained(error: Error, needs: AdministrationCommand['needs']): Error {
  if (isPermissionDeniedError(error)) {
    const next = 'Name one with --admin (FISH_ADMIN_USERNAME), or log in: fish-cli login NAME --admin'
    return new PermissionDeniedError(
      `${error.summary} It needs the rights of ${needs === 'superadmin' ? 'a superadmin' : 'an administrator'}. ${next}`,
      error,
    )
  }
  if (isAuthenticationError(error) && error.code === 'invalid_session') {
    return new AuthenticationError('The session is over. Log in again: fish-cli login NAME --admin', error)
  }
  return error
}
