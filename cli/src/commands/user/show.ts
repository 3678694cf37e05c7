import { Args } from '@oclif/core'
import { AdministrationCommand, administrationFlags } from '../admin-command.ts'
import { outputFlags } from '../flags.ts'
import { USER_COLUMNS } from './list.ts'

/** `fish-cli user show` */
export class UserShow extends AdministrationCommand {
  static override summary = 'Show a player, without secrets, as an administrator.'
  static override examples = ['<%= config.bin %> user show Alex', '<%= config.bin %> user show Alex --json']
  static override args = { name: Args.string({ description: 'name of the player', required: true, ignoreStdin: true }) }
  static override flags = { ...administrationFlags, ...outputFlags }

  async run(): Promise<number> {
    const { args, flags } = await this.parse(UserShow)
    this.checkOutput(flags, USER_COLUMNS)
    const { admin, options } = await this.administration(flags)
    const { id, name, createdAt } = await admin.users.get(args.name, options)
    return this.printRows(flags, {
      rows: [{ id, name, createdAt }],
      columns: USER_COLUMNS,
      document: ([only]) => only,
    })
  }
}
