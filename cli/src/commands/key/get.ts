import { readSecret } from '../../auth/read-secret.ts'
import { readAdminCredentials } from '../../client/admin.ts'
import { openClient } from '../../client/client.ts'
import { requireUser, type TargetFlags } from '../../config/target.ts'
import { printable } from '../../output/text.ts'
import type { CommandContext } from '../define.ts'
import { Args, defineCommand, Flags } from '../define.ts'
import { adminFlag, noInputFlag, outputFlags, secretFileFlags, serviceFlags, userFlag } from '../flags.ts'
import { handOver, KEY_COLUMNS, type PlayersKey } from '../key-command.ts'

interface GetFlags extends TargetFlags {
  readonly 'password-stdin'?: boolean | undefined
  readonly 'no-input'?: boolean | undefined
}

export const keyGetCommand = defineCommand({
  summary: 'Get the key that encrypts the catches of a player.',
  description:
    'Players get their own key with their password, from a prompt, FISH_PASSWORD or FISH_PASSWORD_FILE. Administrators ' +
    'name a USER and use their own password (FISH_ADMIN_PASSWORD or FISH_ADMIN_PASSWORD_FILE). The server records every ' +
    'retrieval in its audit log. To store the key for other commands, log in instead: fish-cli login.',
  examples: [
    {
      description: 'Save your own key to a file for FISH_KEY_FILE:',
      command: 'fish-cli key get --user Alex --out alex.key',
    },
    {
      description: 'Print the key of another player, as an administrator:',
      command: 'fish-cli key get Alex --admin admin --show',
    },
  ],
  args: {
    user: Args.string({
      description: 'player whose key to get, as an administrator (default: your own)',
    }),
  },
  flags: {
    show: Flags.boolean({ summary: 'Print the whole key.' }),
    'password-stdin': Flags.boolean({ summary: 'Read the password from stdin.' }),
    ...secretFileFlags,
    ...userFlag,
    ...adminFlag,
    ...serviceFlags,
    ...noInputFlag,
    ...outputFlags,
  },
  columns: KEY_COLUMNS,

  async run(context) {
    const { args, flags } = context
    return handOver(context, {
      get: () => get(context, args.user, flags),
      unsaved: (user) => ({
        done: `The service returned the key of ${printable(user)}`,
        next: 'The key is unchanged. Get it again with --out and another FILE.',
      }),
    })
  },
})

async function get(context: CommandContext, subject: string | undefined, flags: GetFlags): Promise<PlayersKey> {
  const { target } = context
  const client = await openClient(context, target)
  const promptOptions = { noInput: flags['no-input'], fromStdin: flags['password-stdin'] }
  if (subject !== undefined) {
    // A session is not enough: the service requires the password (HTTP Basic).
    const alternative = 'Or leave out USER to get your own key with FISH_PASSWORD.'
    const credentials = await readAdminCredentials(context, target, { ...promptOptions, alternative })
    const { fernetKey } = await client.keys.get({ ...credentials, name: subject, signal: context.interrupted() })
    return { user: subject, fernetKey }
  }
  const user = requireUser(target, 'Add --user USER')
  const question = `Password of ${printable(user)}`
  const password = await readSecret(context, { variable: 'FISH_PASSWORD', question, ...promptOptions })
  const { fernetKey } = await client.keys.get({ username: user, password, signal: context.interrupted() })
  return { user, fernetKey }
}
