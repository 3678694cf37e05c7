import { readNewPassword } from '../../client/read-secret.ts'
import { commandLine } from '../../core/command-line.ts'
import { parseAdminName } from '../../kit/administration.ts'
import { Args, defineCommand, Flags } from '../../kit/define.ts'
import { noInputFlag } from '../../kit/flags.ts'
import { runMaintenance, storageFlag } from '../../kit/maintenance.ts'
import { printable } from '../../output/text.ts'

export const adminResetPasswordCommand = defineCommand({
  summary: 'Reset a lost administrator password directly in the data.',
  description:
    'Changes the data directly, not through the service: anyone who can write the data can reset a password. ' +
    'Stop the server of a data folder first. The command prompts twice for the new password, or reads it from ' +
    'FISH_NEW_ADMIN_PASSWORD, FISH_NEW_ADMIN_PASSWORD_FILE or --password-stdin. The reset is recorded in the ' +
    'audit log and ends the sessions of the administrator.',
  examples: [
    'fish-cli admin reset-password admin --storage file:./data',
    { description: 'In a script:', command: 'pass fish | fish-cli admin reset-password admin --password-stdin' },
  ],
  args: { name: Args.string({ description: 'name of the administrator', required: true }) },
  flags: {
    'password-stdin': Flags.boolean({ summary: 'Read the new password from stdin.' }),
    ...storageFlag,
    ...noInputFlag,
  },

  async run(context) {
    const { args, flags, passwords } = context
    const hashing = passwords ? { passwords } : {}
    const username = parseAdminName(args.name)
    const reset = (dryRun: boolean, password: string) =>
      runMaintenance(context, (maintenance, { env, flags }) =>
        maintenance.resetAdminPassword({ env, flags, username, password, dryRun, ...hashing }),
      )
    // This dry run reports a wrong name or storage before the prompt for a password.
    const planned = await reset(true, '')
    const name = printable(planned.username)
    const { role } = await reset(false, await readNewPassword(context, planned.username, flags))
    const next = `Start the server, then log in: ${commandLine('login', name, '--admin')}`
    return context.print({ username: planned.username, role }, () => `The ${role} ${name} has a new password. ${next}`)
  },
})
