import type { ResetType } from '@fish-crab/sdk/admin'
import type { CreatedUser } from '@fish-crab/sdk/contract'
import { commandLine } from '../../core/argv.ts'
import { withUnknownOutcome } from '../../core/describe-error.ts'
import { usageError } from '../../core/errors.ts'
import { parseChoice } from '../../core/parse-values.ts'
import { Args, defineCommand, Flags, words } from '../../kit/define.ts'
import { administrationFlags, secretFileFlags, yesFlags } from '../../kit/flags.ts'
import { checkDestination, outputSecret } from '../../kit/secret-output.ts'
import { administratorWords } from '../../session/target.ts'

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

  async run(run) {
    const { session, terminal, args, flags } = run
    const user = args.name
    const type = typeOf(flags.type)
    const title = TITLES[type]
    const isShown = await checkDestination(run, title)
    await terminal.confirm(`Replace the ${title} of ${user}`)
    const admin = await session.admin()
    return outputSecret(run, {
      user,
      title,
      about: { user, type },
      field: 'secret',
      isShown,
      async request() {
        const resetting = admin.users.reset(user, type, { signal: session.signal })
        const response: Partial<CreatedUser> = await resetting.catch((error) => {
          const hint = `If the ${title} was replaced, the old one no longer works. Repeat the command for a new one.`
          throw withUnknownOutcome(error, { hint })
        })
        return response.password ?? response.fernetKey ?? response.apiKey ?? ''
      },
      unsaved: {
        done: `The service replaced the ${title} of ${user}`,
        next: `Replace it again with another FILE: ${commandLine('user', 'reset', user, '--type', type, '--out', 'FILE', ...administratorWords(session.target))}`,
      },
    })
  },
})

function typeOf(text: string | undefined): ResetType {
  const types = Object.keys(TITLES) as ResetType[]
  if (text !== undefined) return parseChoice('--type', text, types)
  throw usageError('Missing --type.', `Add --type with one of: ${types.join(', ')}`)
}
