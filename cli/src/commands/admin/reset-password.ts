import { commandLine } from '../../core/argv.ts'
import { Args, defineCommand, Flags } from '../../kit/define.ts'
import { noInputFlag } from '../../kit/flags.ts'
import { readNewPassword } from '../../session/credentials.ts'
import { runMaintenance, storageFlag } from '../service/maintenance.ts'
import { parseAdminName } from './name.ts'

export const adminResetPasswordCommand = defineCommand({
  summary: 'Reset a lost administrator password directly in the data.',
  description:
    'Changes the data directly, not through the service: anyone who can write the data can reset a password. ' +
    'Stop the server of a data folder first. The command prompts twice for the new password, or reads it from ' +
    'FISH_NEW_PASSWORD, FISH_NEW_PASSWORD_FILE or --password-stdin. The reset is recorded in the ' +
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

  async run({ session, terminal, args, flags }) {
    const { passwords } = session.system
    const hashing = passwords ? { passwords } : {}
    const username = parseAdminName(args.name)
    const reset = (dryRun: boolean, password: string) =>
      runMaintenance(session, flags.storage, (maintenance, { env, flags }) =>
        maintenance.resetAdminPassword({ env, flags, username, password, dryRun, ...hashing }),
      )
    // This dry run reports a wrong name or storage before the prompt for a password.
    const planned = await reset(true, '')
    const { role } = await reset(false, await readNewPassword(session, planned.username, flags['password-stdin']))
    const next = `Start the server, then log in: ${commandLine('login', planned.username, '--admin')}`
    return terminal.print(
      { username: planned.username, role },
      () => `The ${role} ${planned.username} has a new password. ${next}`,
    )
  },
})
