import type { Administrator } from '@fish-crab/sdk/admin'
import { userNameKey } from '@fish-crab/sdk/constants'
import { expectedRefusal } from '../../client/describe-error.ts'
import { confirm } from '../../output/prompt.ts'
import { printable } from '../../output/text.ts'
import { type Administration, administrationFlags, openAdministration, parseAdminName } from '../admin-command.ts'
import { Args, defineCommand } from '../define.ts'
import { administrationDryRunFlag, yesFlags } from '../flags.ts'

/** `fish-cli admin delete` */
export const adminDeleteCommand = defineCommand({
  summary: 'Delete an administrator, as a superadmin. Its sessions end at once.',
  description: 'The last superadmin cannot be deleted.',
  examples: ['fish-cli admin delete mia', 'fish-cli admin delete mia --yes'],
  args: { name: Args.string({ description: 'name of the administrator', required: true, ignoreStdin: true }) },
  flags: { ...administrationFlags, ...yesFlags, ...administrationDryRunFlag },
  role: 'superadmin',

  async run(context) {
    const { args, flags } = context
    const name = parseAdminName(args.name)
    const named = printable(name)
    const dryRun = flags['dry-run']
    if (!dryRun) await confirm(context, { question: `Delete the administrator ${named}`, ...flags })
    const administration = await openAdministration(context)
    if (dryRun) {
      const { username, role } = await requireDeletable(administration, name)
      return context.print({ username, role, dryRun }, () => `Would delete the ${role} ${printable(username)}.`)
    }
    await administration.admin.admins.delete(name, administration.options)
    return context.print({ username: name, deleted: true }, () => `Deleted ${named}.`)
  },
})

/** The administrator of a name. Fails where the service would refuse to delete it. */
async function requireDeletable({ admin, options }: Administration, name: string): Promise<Administrator> {
  const { admins } = await admin.admins.list(options)
  const found = admins.find(({ username }) => userNameKey(username) === userNameKey(name))
  if (!found) throw expectedRefusal('admin_not_found', 'superadmin')
  const isLast = found.role === 'superadmin' && admins.filter(({ role }) => role === 'superadmin').length === 1
  if (isLast) throw expectedRefusal('last_superadmin', 'superadmin')
  return found
}
