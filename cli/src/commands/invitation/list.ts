import type { InvitationList } from '@fish-crab/sdk/contract'
import { defineCommand } from '../../kit/define.ts'
import { administrationFlags, outputFlags } from '../../kit/flags.ts'
import { type Column, timeColumn } from '../../terminal/table.ts'

const COLUMNS: readonly Column<InvitationList['invitations'][number]>[] = [
  { field: 'id', whole: true },
  { field: 'uses' },
  { field: 'remaining' },
  timeColumn('expiresAt'),
  { field: 'createdBy' },
  timeColumn('createdAt'),
  { field: 'players', value: ({ players }) => players.map(({ name }) => name).join(', ') },
]

export const invitationListCommand = defineCommand({
  summary: 'List the invitations and the players who used them, as an administrator.',
  examples: ['fish-cli invitation list', 'fish-cli invitation list --json'],
  flags: { ...administrationFlags, ...outputFlags },
  role: 'administrator',

  async run({ session, terminal }) {
    const admin = await session.admin()
    const { invitations } = await admin.invitations.list({ signal: session.signal })
    const empty = 'No invitations. To create one: fish-cli invitation create --uses N'
    return terminal.printRows({ rows: invitations, columns: COLUMNS, document: { invitations }, empty })
  },
})
