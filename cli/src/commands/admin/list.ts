import type { Administrator } from '@fish-crab/sdk/admin'
import { administrationFlags, openAdministration } from '../../kit/administration.ts'
import { defineCommand } from '../../kit/define.ts'
import { outputFlags } from '../../kit/flags.ts'
import { type Column, timeColumn } from '../../output/columns.ts'

export const ADMIN_COLUMNS: readonly Column<Administrator>[] = [
  { field: 'username', title: 'ADMINISTRATOR', whole: true },
  { field: 'role', style: (role) => (role === 'superadmin' ? 'yellow' : undefined) },
  timeColumn('createdAt'),
]

export const adminListCommand = defineCommand({
  summary: 'List the administrators of the service, as a superadmin.',
  examples: ['fish-cli admin list', 'fish-cli admin list --admin mia --json'],
  flags: { ...administrationFlags, ...outputFlags },
  role: 'superadmin',

  async run(context) {
    const { admin, options } = await openAdministration(context)
    const { admins } = await admin.admins.list(options)
    return context.printRows({ rows: admins, columns: ADMIN_COLUMNS, document: { admins } })
  },
})
