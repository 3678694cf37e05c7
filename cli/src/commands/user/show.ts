import type { User } from '@fish-crab/sdk/admin'
import { Args, defineCommand } from '../../kit/define.ts'
import { administrationFlags } from '../../kit/flags.ts'
import { type Column, fieldLines, timeColumn } from '../../terminal/table.ts'
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

  async run({ session, terminal, args }) {
    const admin = await session.admin()
    const {
      rateLimit: _,
      requestId: __,
      totals,
      lastCatch,
      lastKeyReadAt,
      ...user
    } = await admin.users.get(args.name, {
      signal: session.signal,
    })
    const row = { ...user, ...totals, lastCatchAt: lastCatch?.at, lastKeyReadAt }
    return terminal.print(row, () => fieldLines(row, COLUMNS))
  },
})
