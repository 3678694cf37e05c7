import { Args, defineCommand, Flags } from '../../kit/define.ts'
import { adminFlag, noInputFlag, passwordStdinFlag, secretFileFlags, serviceFlags, userFlag } from '../../kit/flags.ts'
import { outputSecret } from '../../kit/secret-output.ts'
import { readAdminCredentials } from '../../session/admin.ts'
import { readPlayerPassword } from '../../session/credentials.ts'
import type { Session } from '../../session/session.ts'

export const keyCommand = defineCommand({
  summary: 'Get the key that encrypts the catches of a player.',
  description:
    'Players get their own key with their password. The command prompts for the password, or reads FISH_PASSWORD ' +
    'or FISH_PASSWORD_FILE. Administrators name a USER and use their own password (FISH_ADMIN_PASSWORD or ' +
    'FISH_ADMIN_PASSWORD_FILE). The server records every retrieval in its audit log. The request counts toward the ' +
    'rate limit of your address, also for administrators, because the server counts before it checks a password. An ' +
    'API key (FISH_API_KEY) lifts this limit. To store the key for other commands, log in instead: fish-cli login. To ' +
    'replace a key: fish-cli user reset USER --type fernet.',
  examples: [
    { description: 'Save your own key to a file for FISH_KEY_FILE:', command: 'fish-cli key --out alex.key' },
    { description: 'Print the key of another player, as an administrator:', command: 'fish-cli key Alex --show' },
  ],
  args: {
    user: Args.string({ description: 'for administrators: the player whose key you need (default: your own key)' }),
  },
  flags: {
    show: Flags.boolean({ summary: 'Print the whole key.' }),
    ...passwordStdinFlag,
    ...secretFileFlags,
    ...userFlag,
    ...adminFlag,
    ...serviceFlags,
    ...noInputFlag,
  },

  async run(run) {
    const { session, args, flags } = run
    const user = args.user ?? session.user()
    return outputSecret(run, {
      user,
      title: 'key',
      about: { user },
      field: 'fernetKey',
      isShown: flags.show || flags.out === '-',
      request: async () =>
        (await requestKey(session, user, { asAdmin: args.user !== undefined, fromStdin: flags['password-stdin'] }))
          .fernetKey,
      unsaved: {
        done: `The service returned the key of ${user}`,
        next: 'The key is unchanged. Get it again with --out and another FILE.',
      },
    })
  },
})

interface KeyRequest {
  readonly asAdmin: boolean
  readonly fromStdin: boolean
}

async function requestKey(session: Session, user: string, { asAdmin, fromStdin }: KeyRequest) {
  const { signal } = session
  const client = await session.client()
  if (asAdmin) {
    // A session is not enough: the service requires the password (HTTP Basic).
    const alternative = 'Or omit USER to get your own key with FISH_PASSWORD.'
    const credentials = await readAdminCredentials(session, { fromStdin, alternative })
    return client.keys.get({ ...credentials, name: user, signal })
  }
  const password = await readPlayerPassword(session, user, { fromStdin })
  return client.keys.get({ username: user, password, signal })
}
