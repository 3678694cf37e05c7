import { Args, defineCommand } from '../../kit/define.ts'
import { administrationFlags, yesFlags } from '../../kit/flags.ts'
import { parseAdminName } from './name.ts'

export const adminDeleteCommand = defineCommand({
  summary: 'Delete an administrator and end their sessions, as a superadmin.',
  description: 'The last superadmin cannot be deleted.',
  examples: ['fish-cli admin delete mia', 'fish-cli admin delete mia --yes'],
  args: { name: Args.string({ description: 'name of the administrator', required: true }) },
  flags: { ...administrationFlags, ...yesFlags },
  role: 'superadmin',

  async run({ session, terminal, args }) {
    const name = parseAdminName(args.name)
    await terminal.confirm(`Delete the administrator ${name}`)
    const admin = await session.admin()
    await admin.admins.delete(name, { signal: session.signal })
    return terminal.print({ username: name, deleted: true }, () => `Deleted ${name}.`)
  },
})
