import { administrationFlags, openAdministration } from '../../command/administration.ts'
import { Args, defineCommand } from '../../command/define.ts'
import { outputFlags } from '../../command/flags.ts'
import { USER_COLUMNS } from './list.ts'

export const userShowCommand = defineCommand({
  summary: 'Show a player, without secrets, as an administrator.',
  examples: ['fish-cli user show Alex', 'fish-cli user show Alex --json'],
  args: { name: Args.string({ description: 'name of the player', required: true }) },
  flags: { ...administrationFlags, ...outputFlags },
  role: 'administrator',
  columns: USER_COLUMNS,
  completion: { name: { local: 'users' } },

  async run(context) {
    const { args } = context
    const { admin, options } = await openAdministration(context)
    const { id, name, createdAt } = await admin.users.get(args.name, options)
    return context.printRows({ rows: [{ id, name, createdAt }], document: ([only]) => only })
  },
})
