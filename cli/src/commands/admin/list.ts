import type { Administrator } from '@fish-crab/sdk/admin'
import { defineCommand } from '../../kit/define.ts'
import { administrationFlags, outputFlags } from '../../kit/flags.ts'
import { type Column, timeColumn } from '../../terminal/table.ts'

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

  async run({ session, terminal }) {
    const admin = await session.admin()
    const { admins } = await admin.admins.list({ signal: session.signal })
    return terminal.printRows({ rows: admins, columns: ADMIN_COLUMNS, document: { admins } })
  },
})
