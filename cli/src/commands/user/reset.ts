import type { ResetType } from '@fish-crab/sdk/admin'
import type { CreatedUser } from '@fish-crab/sdk/contract'
import { withUnknownOutcome } from '../../client/describe-error.ts'
import { administratorWords } from '../../config/target.ts'
import { commandLine } from '../../core/command-line.ts'
import { usageError } from '../../core/errors.ts'
import { parseChoice } from '../../core/parse-values.ts'
import { administrationFlags, openAdministration } from '../../kit/administration.ts'
import { Args, defineCommand, Flags, words } from '../../kit/define.ts'
import { secretFileFlags, yesFlags } from '../../kit/flags.ts'
import { checkDestination, outputSecret } from '../../kit/player-secret.ts'
import { confirm } from '../../output/prompt.ts'
import { printable } from '../../output/text.ts'

const TITLES: Readonly<Record<ResetType, string>> = { password: 'password', fernet: 'Fernet key', 'api-key': 'API key' }

export const userResetCommand = defineCommand({
  summary: 'Replace the password or a key of a player. The old secret stops working at once.',
  description:
    'The new secret cannot be shown again. --out writes the secret to a file that only you can read. --show ' +
    'prints the secret. Without both flags, a terminal shows the secret, and a script must add --out or --show.',
  examples: [
    'fish-cli user reset Alex --type password --out alex.password',
    { description: 'Replace a leaked key:', command: 'fish-cli user reset Alex --type fernet --yes --show' },
  ],
  args: { name: Args.string({ description: 'name of the player', required: true }) },
  flags: {
    type: Flags.string({
      char: 't',
      summary: `Secret to replace: ${Object.keys(TITLES).join(', ')}.`,
      helpValue: 'TYPE',
    }),
    show: Flags.boolean({ summary: 'Print the new secret.' }),
    ...secretFileFlags,
    ...administrationFlags,
    ...yesFlags,
  },
  role: 'administrator',
  completion: { name: { local: 'users' }, type: words(Object.keys(TITLES)) },

  async run(context) {
    const { args, flags } = context
    const user = args.name
    const type = typeOf(flags.type)
    const title = TITLES[type]
    const isShown = await checkDestination(context, title)
    await confirm(context, { question: `Replace the ${title} of ${printable(user)}`, ...flags })
    const { admin, options } = await openAdministration(context)
    return outputSecret(context, {
      user,
      title,
      about: { user, type },
      field: 'secret',
      isShown,
      async request() {
        const resetting = admin.users.reset(user, type, options)
        const response: Partial<CreatedUser> = await resetting.catch((error) => {
          const hint = `If the ${title} was replaced, the old one no longer works. Repeat the command for a new one.`
          throw withUnknownOutcome(error, { hint })
        })
        return response.password ?? response.fernetKey ?? response.apiKey ?? ''
      },
      unsaved: {
        done: `The service replaced the ${title} of ${printable(user)}`,
        next: `Replace it again with another FILE: ${commandLine('user', 'reset', printable(user), '--type', type, '--out', 'FILE', ...administratorWords(context.target))}`,
      },
    })
  },
})

function typeOf(text: string | undefined): ResetType {
  const types = Object.keys(TITLES) as ResetType[]
  if (text !== undefined) return parseChoice('--type', text, types)
  throw usageError('Missing --type.', `Add --type with one of: ${types.join(', ')}`)
}
