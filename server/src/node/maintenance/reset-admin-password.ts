import type { AdminRole } from '@fish-crab/sdk/contract'
import { type Admins, createAdmins } from '../../app/auth/admins.ts'
import { createAuditRecorder } from '../../app/auth/audit.ts'
import { STORE_KEY } from '../../app/store/item-keys.ts'
import { refuseImportLock } from '../../app/store/store-id.ts'
import { createStorage } from '../../storage/index.ts'
import type { ConfigSource } from '../config.ts'
import { createScryptHasher } from '../passwords.ts'
import { SETTINGS } from '../settings.ts'
import { MaintenanceError, maintain } from './maintenance-error.ts'
import { folderOf, readMaintenanceSettings, refuseMemory } from './maintenance-settings.ts'
import { type DryRunMark, dryRunMark } from './progress.ts'
import { storeFileOf } from './store-file.ts'

/** What {@link resetAdminPassword} takes. */
export interface ResetAdminPasswordOptions extends ConfigSource {
  /** Whose password; letter case does not matter. */
  readonly username: string
  /** The new one, 8 to 256 characters. A dry run needs none. */
  readonly password: string
  /** Look whether there is such an administrator, and change nothing. @default false */
  readonly dryRun?: boolean
}

/** Whose password was reset, or would be. */
export interface ResetAdminPasswordReport extends DryRunMark {
  readonly username: string
  readonly role: AdminRole
}

/**
 * Gives an administrator another password, beside the data: for when nobody knows one any more. It is in the audit log,
 * and ends the sessions of that administrator. A file store must not be served meanwhile, a Redis may be.
 * @throws MaintenanceError `no_admin`, `in_use`, `no_store` and others; `invalid_settings` for a password of another length
 */
export function resetAdminPassword(options: ResetAdminPasswordOptions): Promise<ResetAdminPasswordReport> {
  const { username, password, dryRun = false, ...source } = options
  return maintain(async () => {
    if (!dryRun) checkPassword(password)
    const settings = readMaintenanceSettings(source)
    refuseMemory(settings.storage)
    if (settings.storage.driver === 'file') storeFileOf(folderOf(settings.storage))
    const storage = await createStorage(settings.storage)
    try {
      refuseImportLock(await storage.items.getItem(STORE_KEY))
      const random = (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes)
      // Nobody serves another store under this name: it was named by where it is.
      const storeId = { verify: async () => {} }
      const admins = createAdmins({ storage, storeId, passwords: createScryptHasher(), clock: Date.now, random })
      const found = await admins.find(username)
      if (!found) throw await noAdmin(admins)
      if (!dryRun) {
        const from = { address: 'local', requestId: crypto.randomUUID() }
        const record = createAuditRecorder(storage, Date.now, random)
        await record(from, 'local', 'admin.reset.password', found.username)
        // A Redis may be served meanwhile: the administrator may be gone by now.
        if (!(await admins.setPassword(username, password))) throw await noAdmin(admins)
      }
      return { username: found.username, role: found.role, ...dryRunMark(dryRun) }
    } finally {
      await storage.dispose()
    }
  })
}

function checkPassword(password: string): void {
  try {
    SETTINGS.adminPassword.parse(password)
  } catch (error) {
    throw new MaintenanceError('invalid_settings', `The new password ${(error as Error).message}.`)
  }
}

async function noAdmin(admins: Admins): Promise<MaintenanceError> {
  const names = (await admins.list()).map(({ username }) => username)
  const hint =
    names.length === 0
      ? 'The server creates the first administrator when it starts.'
      : `Administrators: ${names.join(', ')}.`
  return new MaintenanceError('no_admin', 'No administrator has that name.', { hint })
}
