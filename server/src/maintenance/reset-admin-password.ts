import type { AdminRole } from '@fish-crab/sdk/contract'
import { createAdmins } from '../app/auth/admins.ts'
import { createAuditRecorder } from '../app/auth/audit.ts'
import { checkFinished } from '../app/store/store-id.ts'
import type { ConfigSource } from '../node/config.ts'
import { createScryptHasher } from '../node/passwords.ts'
import { SETTINGS } from '../node/settings.ts'
import type { StartOptions } from '../node/start.ts'
import { useStorage } from './core/folder.ts'
import { MaintenanceError, maintain, readMaintenanceSettings } from './core/maintenance.ts'
import { storeFileOf } from './core/store.ts'

/** Options of {@link resetAdminPassword}. */
export interface ResetAdminPasswordOptions extends ConfigSource, Pick<StartOptions, 'passwords'> {
  /** Name of the administrator, in any letter case. */
  readonly username: string
  /** The new password, 8 to 256 characters. Ignored in a dry run. */
  readonly password: string
  /** Only check that the administrator exists. @default false */
  readonly dryRun?: boolean
}

/** The administrator whose password was reset. */
export interface ResetAdminPasswordReport {
  /** `true`: nothing was changed. Absent otherwise. */
  readonly dryRun?: true
  readonly username: string
  readonly role: AdminRole
}

/**
 * Sets an administrator's password directly in the storage, in case no administrator can log in. The audit log records
 * the reset, and the sessions of that administrator end. A file store must not be in use by a server. Servers on a
 * Redis can keep running.
 * @throws MaintenanceError `no_admin`, `in_use`, `no_store` and others; `invalid_settings` for a password that is too
 * short or too long
 */
export function resetAdminPassword(options: ResetAdminPasswordOptions): Promise<ResetAdminPasswordReport> {
  const { username, password, dryRun = false, passwords = createScryptHasher(), ...source } = options
  return maintain(async () => {
    if (!dryRun) checkPassword(password)
    const settings = readMaintenanceSettings(source)
    if (settings.storage.driver === 'file') storeFileOf(settings.storage.path)
    return useStorage(settings.storage, async (storage) => {
      await checkFinished(storage)
      const random = (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes)
      const admins = createAdmins({ storage, passwords, clock: Date.now, random })
      const admin = await admins.find(username)
      if (!admin) throw unknownAdminError((await admins.list()).map((one) => one.username))
      const report = { username: admin.username, role: admin.role }
      if (dryRun) return { ...report, dryRun }
      const from = { address: 'local', requestId: crypto.randomUUID() }
      const { record } = createAuditRecorder(storage, Date.now, random)
      await record(from, 'local', 'admin.reset.password', { subject: admin.username })
      // A server on the same Redis may have removed the administrator meanwhile.
      if (!(await admins.setPassword(username, password))) throw unknownAdminError([])
      return report
    })
  })
}

function checkPassword(password: string): void {
  try {
    SETTINGS.adminPassword.parse(password)
  } catch (error) {
    throw new MaintenanceError('invalid_settings', `The new password ${(error as Error).message}.`)
  }
}

function unknownAdminError(names: readonly string[]): MaintenanceError {
  const hint =
    names.length === 0
      ? 'The server creates the first administrator when it starts.'
      : `Administrators: ${names.join(', ')}.`
  return new MaintenanceError('no_admin', 'There is no administrator with that name.', { hint })
}
