import { commandLine } from '../../core/argv.ts'
import { withUnknownOutcome } from '../../core/describe-error.ts'
import { Args, defineCommand, Flags } from '../../kit/define.ts'
import { administrationFlags, secretFileFlags, yesFlags } from '../../kit/flags.ts'
import { checkDestination, outputSecret } from '../../kit/secret-output.ts'
import { administratorWords } from '../../session/target.ts'
import { parseAdminName } from './name.ts'

export const adminResetCommand = defineCommand({
  summary: 'Give an administrator a new password and end their sessions, as a superadmin.',
  description:
    'The service generates the password, which cannot be shown again. --out writes it to a file that only you can ' +
    'read. --show prints it. Without both flags, a terminal shows the password, and a script must add --out or --show. ' +
    'To replace your own password: fish-cli password --admin NAME. If no superadmin can log in: fish-cli admin ' +
    'reset-password --help',
  examples: ['fish-cli admin reset mia', 'fish-cli admin reset mia --yes --out mia.password'],
  args: { name: Args.string({ description: 'name of the administrator', required: true }) },
  flags: {
    show: Flags.boolean({ summary: 'Print the new password.' }),
    ...secretFileFlags,
    ...administrationFlags,
    ...yesFlags,
  },
  role: 'superadmin',

  async run(run) {
    const { session, terminal, args } = run
    const name = parseAdminName(args.name)
    const isShown = await checkDestination(run, 'password')
    await terminal.confirm(`Replace the password of the administrator ${name}`)
    const admin = await session.admin()
    return outputSecret(run, {
      user: name,
      title: 'password',
      about: { username: name },
      field: 'secret',
      isShown,
      async request() {
        const { password } = await admin.admins.resetPassword(name, { signal: session.signal }).catch((error) => {
          const hint = 'If the password was replaced, the old one no longer works. Repeat the command for a new one.'
          throw withUnknownOutcome(error, { hint })
        })
        return password
      },
      unsaved: {
        done: `The service replaced the password of ${name}`,
        next: `Replace it again with another FILE: ${commandLine('admin', 'reset', name, '--out', 'FILE', ...administratorWords(session.target))}`,
      },
    })
  },
})
