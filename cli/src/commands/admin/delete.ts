import type { Administrator } from '@fish-crab/sdk/admin'
import { userNameKey } from '@fish-crab/sdk/constants'
import { Args } from '@oclif/core'
import { expectedRefusal } from '../../client/describe-error.ts'
import type { Role } from '../../core/context.ts'
import { confirm } from '../../output/prompt.ts'
import { printable } from '../../output/text.ts'
import { type Administration, AdministrationCommand, administrationFlags, parseAdminName } from '../admin-command.ts'
import { administrationDryRunFlag, yesFlags } from '../flags.ts'

/** `fish-cli admin delete` */
export class AdminDelete extends AdministrationCommand {
  static override summary = 'Delete an administrator, as a superadmin. Its sessions end at once.'
  static override description = 'The last superadmin cannot be deleted.'
  static override examples = ['<%= config.bin %> admin delete mia', '<%= config.bin %> admin delete mia --yes']
  static override args = { name: Args.string({ description: 'who is deleted', required: true, ignoreStdin: true }) }
  static override flags = { ...administrationFlags, ...yesFlags, ...administrationDryRunFlag }

  override needs: Role = 'superadmin'

  async run(): Promise<number> {
    const { args, flags } = await this.parse(AdminDelete)
    const name = parseAdminName(args.name)
    const named = printable(name)
    const dryRun = flags['dry-run']
    if (!dryRun) await confirm(this.io, { question: `Delete the administrator ${named}`, ...flags })
    const administration = await this.administration(flags)
    if (dryRun) {
      const { username, role } = await requireDeletable(administration, name)
      return this.print(
        flags.json,
        { username, role, dryRun },
        () => `Would delete the ${role} ${printable(username)}.`,
      )
    }
    await administration.admin.admins.delete(name, administration.options)
    return this.print(flags.json, { username: name, deleted: true }, () => `Deleted ${named}.`)
  }
}

/** The administrator of a name. Fails where the service would refuse to delete it. */
async function requireDeletable({ admin, options }: Administration, name: string): Promise<Administrator> {
  const { admins } = await admin.admins.list(options)
  const found = admins.find(({ username }) => userNameKey(username) === userNameKey(name))
  if (!found) throw expectedRefusal('admin_not_found', 'superadmin')
  const isLast = found.role === 'superadmin' && admins.filter(({ role }) => role === 'superadmin').length === 1
  if (isLast) throw expectedRefusal('last_superadmin', 'superadmin')
  return found
}
