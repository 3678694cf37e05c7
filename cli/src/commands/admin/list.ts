import type { Administrator } from '@fish-crab/sdk/admin'
import type { Role } from '../../core/context.ts'
import { type Column, timeColumn } from '../../output/columns.ts'
import { AdministrationCommand, administrationFlags } from '../admin-command.ts'
import { outputFlags } from '../flags.ts'

/** What is shown of an administrator. */
export const ADMIN_COLUMNS: readonly Column<Administrator>[] = [
  { field: 'username', title: 'ADMINISTRATOR', whole: true },
  { field: 'role', style: (role) => (role === 'superadmin' ? 'yellow' : undefined) },
  timeColumn('createdAt'),
]

/** `fish-cli admin list` */
export class AdminList extends AdministrationCommand {
  static override summary = 'List the administrators of the service, as a superadmin.'
  static override examples = ['<%= config.bin %> admin list', '<%= config.bin %> admin list --admin mia --json']
  static override flags = { ...administrationFlags, ...outputFlags }

  override needs: Role = 'superadmin'

  async run(): Promise<number> {
    const { flags } = await this.parse(AdminList)
    this.checkOutput(flags, ADMIN_COLUMNS)
    const { admin, options } = await this.administration(flags)
    const { admins } = await admin.admins.list(options)
    return this.printRows(flags, { rows: admins, columns: ADMIN_COLUMNS, document: (shown) => ({ admins: shown }) })
  }
}
