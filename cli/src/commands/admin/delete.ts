import { administrationFlags, openAdministration, parseAdminName } from '../../kit/administration.ts'
import { Args, defineCommand } from '../../kit/define.ts'
import { yesFlags } from '../../kit/flags.ts'
import { confirm } from '../../output/prompt.ts'
import { printable } from '../../output/text.ts'

export const adminDeleteCommand = defineCommand({
  summary: 'Delete an administrator and end their sessions, as a superadmin.',
  description: 'The last superadmin cannot be deleted.',
  examples: ['fish-cli admin delete mia', 'fish-cli admin delete mia --yes'],
  args: { name: Args.string({ description: 'name of the administrator', required: true }) },
  flags: { ...administrationFlags, ...yesFlags },
  role: 'superadmin',

  async run(context) {
    const { args, flags } = context
    const name = parseAdminName(args.name)
    const named = printable(name)
    await confirm(context, { question: `Delete the administrator ${named}`, ...flags })
    const { admin, options } = await openAdministration(context)
    await admin.admins.delete(name, options)
    return context.print({ username: name, deleted: true }, () => `Deleted ${named}.`)
  },
})
