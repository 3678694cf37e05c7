import type { User } from '@fish-crab/sdk/admin'
import { LIMITS } from '@fish-crab/sdk/constants'
import { Flags } from '@oclif/core'
import { parseCatchQuery } from '../../catches/catch-query.ts'
import { pageSizeFor, takeFirst } from '../../client/admin.ts'
import { type Column, timeColumn } from '../../output/columns.ts'
import { AdministrationCommand, administrationFlags } from '../admin-command.ts'
import { outputFlags } from '../flags.ts'

/** What is shown of a player, without secrets. */
export const USER_COLUMNS: readonly Column<User>[] = [
  { field: 'name', title: 'PLAYER', whole: true },
  timeColumn('createdAt'),
  { field: 'id', whole: true },
]

/** `fish-cli user list` */
export class UserList extends AdministrationCommand {
  static override summary = 'List the players of the service by name, as an administrator.'
  static override examples = [
    '<%= config.bin %> user list',
    '<%= config.bin %> user list --search al --limit 20',
    { description: 'The names alone, for a script:', command: '<%= config.bin %> user list -o tsv --fields name' },
  ]
  static override flags = {
    search: Flags.string({ summary: 'Only those whose name holds this, in any letter case.', helpValue: 'TEXT' }),
    limit: Flags.string({ summary: 'Show at most N; all when left out.', helpValue: 'N' }),
    ...administrationFlags,
    ...outputFlags,
  }

  async run(): Promise<number> {
    const { flags } = await this.parse(UserList)
    this.checkOutput(flags, USER_COLUMNS)
    const { limit } = parseCatchQuery({ limit: flags.limit }, this.io.clock.now())
    const { admin, options } = await this.administration(flags)
    const pageSize = pageSizeFor(limit, LIMITS.pageSize)
    const found = await takeFirst(admin.users.iterate({ ...options, search: flags.search, pageSize }), limit)
    const status = await this.printRows(flags, {
      rows: found.entries,
      columns: USER_COLUMNS,
      document: (users) => ({ users, more: found.more }),
      empty: flags.search === undefined ? 'There are no players yet.' : 'No player has a name like that.',
    })
    if (found.more) this.note(flags.json, 'There are more players than --limit shows.')
    return status
  }
}
