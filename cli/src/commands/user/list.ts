import type { User } from '@fish-crab/sdk/admin'
import { LIMITS } from '@fish-crab/sdk/constants'
import { parseCatchQuery } from '../../catches/catch-query.ts'
import { pageSizeFor, takeFirst } from '../../client/admin.ts'
import { type Column, timeColumn } from '../../output/columns.ts'
import { administrationFlags, openAdministration } from '../admin-command.ts'
import { defineCommand, Flags } from '../define.ts'
import { outputFlags } from '../flags.ts'

/** What is shown of a player, without secrets. */
export const USER_COLUMNS: readonly Column<User>[] = [
  { field: 'name', title: 'PLAYER', whole: true },
  timeColumn('createdAt'),
  { field: 'id', whole: true },
]

/** `fish-cli user list` */
export const userListCommand = defineCommand({
  summary: 'List the players of the service by name, as an administrator.',
  examples: [
    'fish-cli user list',
    'fish-cli user list --search al --limit 20',
    { description: 'The names alone, for a script:', command: 'fish-cli user list -o tsv --fields name' },
  ],
  flags: {
    search: Flags.string({ summary: 'Only those whose name holds this, in any letter case.', helpValue: 'TEXT' }),
    limit: Flags.string({ summary: 'Show at most N; all when left out.', helpValue: 'N' }),
    ...administrationFlags,
    ...outputFlags,
  },
  role: 'administrator',
  columns: USER_COLUMNS,

  async run(context) {
    const { flags } = context
    const { limit } = parseCatchQuery({ limit: flags.limit }, context.clock.now())
    const { admin, options } = await openAdministration(context)
    const pageSize = pageSizeFor(limit, LIMITS.pageSize)
    const found = await takeFirst(admin.users.iterate({ ...options, search: flags.search, pageSize }), limit)
    const status = await context.printRows({
      rows: found.entries,
      document: (users) => ({ users, more: found.more }),
      empty: flags.search === undefined ? 'There are no players yet.' : 'No player has a name like that.',
    })
    if (found.more) context.note('There are more players than --limit shows.')
    return status
  },
})
