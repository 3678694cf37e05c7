import { commandLine } from '../../core/argv.ts'
import { withUnknownOutcome } from '../../core/describe-error.ts'
import { defineCommand, Flags } from '../../kit/define.ts'
import { adminFlag, noInputFlag, serviceFlags, userFlag } from '../../kit/flags.ts'
import { createAdmin, readAdminCredentials } from '../../session/admin.ts'
import { readNewPassword, readPlayerPassword } from '../../session/credentials.ts'
import type { Session } from '../../session/session.ts'
import { serviceWords } from '../../session/target.ts'

export const passwordCommand = defineCommand({
  summary: 'Replace your own password.',
  description:
    'The old password stops working at once. Your key and your API key stay valid. The command prompts for the old ' +
    'password, or reads FISH_PASSWORD, and prompts twice for the new password, or reads it from FISH_NEW_PASSWORD or ' +
    '--password-stdin. Administrators add --admin NAME and use FISH_ADMIN_PASSWORD; all their sessions end. If you ' +
    'have forgotten the password, ask an administrator for a new one: fish-cli user reset USER --type password.',
  examples: [
    'fish-cli password',
    { description: 'Replace the password of an administrator:', command: 'fish-cli password --admin mia' },
    { description: 'In a script:', command: 'pass fish/alex | fish-cli password --password-stdin --no-input' },
  ],
  flags: {
    'password-stdin': Flags.boolean({ summary: 'Read the new password from stdin.' }),
    ...userFlag,
    ...adminFlag,
    ...serviceFlags,
    ...noInputFlag,
  },

  async run({ session, terminal, flags }) {
    const isAdmin = flags.admin !== undefined
    const change = isAdmin ? changeAdminPassword : changePlayerPassword
    const name = await change(session, flags['password-stdin']).catch((error) => {
      throw withUnknownOutcome(error, { hint: 'Try the new password first.' })
    })
    const login = commandLine('login', name, '--admin', ...serviceWords(session.target))
    return terminal.print({ name, changed: true }, () =>
      isAdmin ? `${name} has a new password. Log in again: ${login}` : `${name} has a new password.`,
    )
  },
})

async function changePlayerPassword(session: Session, fromStdin: boolean): Promise<string> {
  const username = session.user()
  const client = await session.client()
  const password = await readPlayerPassword(session, username)
  const newPassword = await readNewPassword(session, username, fromStdin)
  await client.account.changePassword({ username, password, newPassword, signal: session.signal })
  return username
}

async function changeAdminPassword(session: Session, fromStdin: boolean): Promise<string> {
  const { username, password } = await readAdminCredentials(session)
  const newPassword = await readNewPassword(session, username, fromStdin)
  const admin = createAdmin(session, { username, password })
  await admin.changePassword({ password, newPassword }, { signal: session.signal })
  return username
}
