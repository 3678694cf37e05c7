import { commandLine } from '../../core/argv.ts'
import { describeError, withUnknownOutcome } from '../../core/describe-error.ts'
import { CliError, EXIT } from '../../core/errors.ts'
import { Args, defineCommand, Flags } from '../../kit/define.ts'
import { administrationFlags, secretFileFlags, yesFlags } from '../../kit/flags.ts'
import { checkDestination, outputSecret } from '../../kit/secret-output.ts'
import { readNewPassword } from '../../session/credentials.ts'
import type { Session } from '../../session/session.ts'
import { administratorWords } from '../../session/target.ts'
import { runMaintenance } from '../service/maintenance.ts'
import { parseAdminName } from './name.ts'

export const adminResetPasswordCommand = defineCommand({
  summary: 'Give an administrator a new password and end their sessions, as a superadmin.',
  description:
    'The service generates the password, which cannot be shown again. --out writes it to a file that only you can ' +
    'read. --show prints it. Without both flags, a terminal shows the password, and a script must add --out or --show. ' +
    'To replace your own password: fish-cli password --admin NAME. If no superadmin can log in, add --storage, which ' +
    'changes the data directly: anyone who can write the data can reset a password. Stop the server of a data folder ' +
    'first. With --storage, the command prompts twice for the new password, or reads it from FISH_NEW_PASSWORD, ' +
    'FISH_NEW_PASSWORD_FILE or --password-stdin. The audit log records each reset.',
  examples: [
    'fish-cli admin reset-password mia',
    'fish-cli admin reset-password mia --yes --out mia.password',
    {
      description: 'If no superadmin can log in, with the server stopped:',
      command: 'fish-cli admin reset-password admin --storage file:./data',
    },
  ],
  args: { name: Args.string({ description: 'name of the administrator', required: true }) },
  flags: {
    show: Flags.boolean({ summary: 'Print the new password.' }),
    ...secretFileFlags,
    storage: Flags.string({
      summary: 'Change the data at this address, such as file:./data, instead of using the service.',
      helpValue: 'ADDRESS',
      exclusive: ['url', 'profile', 'admin', 'show', 'out', 'force'],
    }),
    'password-stdin': Flags.boolean({
      summary: 'With --storage, read the new password from stdin.',
      dependsOn: ['storage'],
    }),
    ...administrationFlags,
    ...yesFlags,
  },
  role: ({ flags }) => (flags.storage === undefined ? 'superadmin' : 'player'),

  async run(run) {
    const { session, terminal, args, flags } = run
    const name = parseAdminName(args.name)
    if (flags.storage !== undefined) return resetInStorage(session, name, { ...flags, storage: flags.storage })
    const isShown = await checkDestination(run, 'password')
    await terminal.confirm(`Replace the password of the administrator ${name}`)
    const offline = (error: unknown) => {
      throw withOffline(error, name)
    }
    const admin = await session.admin().catch(offline)
    return outputSecret(run, {
      user: name,
      title: 'password',
      about: { username: name },
      field: 'secret',
      isShown,
      async request() {
        const resetting = admin.admins.resetPassword(name, { signal: session.signal })
        const { password } = await resetting
          .catch((error) => {
            const hint = 'If the password was replaced, the old one no longer works. Repeat the command for a new one.'
            throw withUnknownOutcome(error, { hint })
          })
          .catch(offline)
        return password
      },
      unsaved: {
        done: `The service replaced the password of ${name}`,
        next: `Replace it again with another FILE: ${commandLine('admin', 'reset-password', name, '--out', 'FILE', ...administratorWords(session.target))}`,
      },
    })
  },
})

/** Adds the way without the service to an error that may mean that no superadmin can log in. */
function withOffline(error: unknown, name: string): unknown {
  const { hint, ...report } = describeError(error, 'superadmin')
  if (report.exit !== EXIT.credentials && report.exit !== EXIT.unreachable) return error
  const command = commandLine('admin', 'reset-password', name, '--storage', 'file:./data')
  const offline = `If no superadmin can log in, stop the server and change its data: ${command}`
  return new CliError({ ...report, hint: [...(hint?.split('\n') ?? []), offline] })
}

interface StorageFlags {
  readonly storage: string
  readonly 'password-stdin': boolean
}

async function resetInStorage(session: Session, name: string, flags: StorageFlags): Promise<number> {
  const { passwords } = session.system
  const hashing = passwords ? { passwords } : {}
  const reset = (dryRun: boolean, password: string) =>
    runMaintenance(session, flags.storage, (maintenance, { env, flags }) =>
      maintenance.resetAdminPassword({ env, flags, username: name, password, dryRun, ...hashing }),
    )
  // This dry run reports a wrong name or storage before the prompt for a password.
  const { username } = await reset(true, '')
  const { role } = await reset(false, await readNewPassword(session, username, flags['password-stdin']))
  const next = `Start the server, then log in: ${commandLine('login', username, '--admin')}`
  return session.terminal.print({ username, role }, () => `The ${role} ${username} has a new password. ${next}`)
}
