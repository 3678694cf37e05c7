import type { User } from '@fish-crab/sdk/admin'
import { LIMITS } from '@fish-crab/sdk/constants'
import { defineCommand, Flags } from '../../kit/define.ts'
import { administrationFlags, outputFlags } from '../../kit/flags.ts'
import { type Column, timeColumn } from '../../terminal/table.ts'
import { pageSizeFor, takeFirst } from '../admin/pages.ts'
import { parseCatchQuery } from '../list/catch-query.ts'

export const USER_COLUMNS: readonly Column<User>[] = [
  { field: 'name', title: 'PLAYER', whole: true },
  timeColumn('createdAt'),
  { field: 'status', value: statusOf },
  { field: 'id', whole: true },
]

function statusOf({ suspended, hidden, public: isPublic }: User): string {
  const states = { suspended, hidden, private: isPublic === false }
  return Object.entries(states)
    .flatMap(([name, holds]) => (holds ? [name] : []))
    .join(', ')
}

export const userListCommand = defineCommand({
  summary: 'List the players of the service by name, as an administrator.',
  examples: [
    'fish-cli user list',
    'fish-cli user list --search al --limit 20',
    { description: 'Export for a spreadsheet:', command: 'fish-cli user list --csv' },
  ],
  flags: {
    search: Flags.string({ summary: 'Only players whose name contains TEXT, ignoring case.', helpValue: 'TEXT' }),
    limit: Flags.string({ summary: 'Show at most N players (default: all).', helpValue: 'N' }),
    ...administrationFlags,
    ...outputFlags,
  },
  role: 'administrator',

  async run({ session, terminal, flags }) {
    const { limit } = parseCatchQuery({ limit: flags.limit }, session.clock.now())
    const admin = await session.admin()
    const pageSize = pageSizeFor(limit, LIMITS.pageSize)
    const page = await takeFirst(admin.users.iterate({ signal: session.signal, search: flags.search, pageSize }), limit)
    const status = await terminal.printRows({
      rows: page.entries,
      columns: USER_COLUMNS,
      document: { users: page.entries, more: page.more },
      empty: flags.search === undefined ? 'No players yet.' : 'No player matches --search.',
    })
    if (page.more) terminal.note('There are more players. To see them, raise --limit.')
    return status
  },
})
