import type { User } from '@fish-crab/sdk/admin'
import { administrationFlags, openAdministration } from '../../kit/administration.ts'
import { Args, defineCommand } from '../../kit/define.ts'
import { type Column, timeColumn } from '../../output/columns.ts'
import { fieldLines } from '../../output/rows.ts'
import { USER_COLUMNS } from './list.ts'

const COLUMNS: readonly Column<User>[] = [
  ...USER_COLUMNS.slice(0, 2),
  { field: 'fish' },
  { field: 'crab', title: 'CRABS' },
  timeColumn('lastCatchAt'),
  timeColumn('lastKeyReadAt', 'KEY LAST READ'),
  ...USER_COLUMNS.slice(2),
]

export const userShowCommand = defineCommand({
  summary: 'Show a player, without secrets, as an administrator.',
  examples: ['fish-cli user show Alex', 'fish-cli user show Alex --json'],
  args: { name: Args.string({ description: 'name of the player', required: true }) },
  flags: administrationFlags,
  role: 'administrator',
  completion: { name: { local: 'users' } },

  async run(context) {
    const { args } = context
    const { admin, options } = await openAdministration(context)
    const { id, name, createdAt, totals, lastCatch, lastKeyReadAt } = await admin.users.get(args.name, options)
    const row = { id, name, createdAt, ...totals, lastCatchAt: lastCatch?.at, lastKeyReadAt }
    return context.print(row, () => fieldLines(row, COLUMNS))
  },
})
